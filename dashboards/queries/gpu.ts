import { gpuTypes, naming, ofPlace, orZero, select, sumBy } from '../selectors.ts';

const gpus = (...matchers: string[]) =>
  select('cloud_isolated_devices', ofPlace, gpuTypes, 'model=~"$model"', ...matchers);
const stopped = gpus('state="stopped"');
const modelAndZone = ['model', 'cloud', 'region', 'zone'];
const owner = ['cloud', 'project_domain', 'project'];

export const gpu = {
  devices: orZero(sumBy([], gpus())),
  running: orZero(sumBy([], gpus('state="running"'))),
  stopped: orZero(sumBy([], stopped)),
  stoppedShare: `(${orZero(sumBy([], stopped))}) / sum(${gpus()})`,
  servers: orZero(sumBy([], select('cloud_servers_gpu', ofPlace))),
  projects: orZero(`count(${sumBy(owner, gpus())})`),
  byModel: sumBy(['model'], gpus()),
  byState: sumBy(['state'], gpus()),
  holders: naming(['project'], `sort_desc(topk($top, ${sumBy(owner, gpus())}))`),
  places: {
    devices: sumBy(modelAndZone, gpus()),
    running: sumBy(modelAndZone, gpus('state="running"')),
    stopped: sumBy(modelAndZone, stopped),
    projects: `count by (${modelAndZone.join(', ')}) (${sumBy([...modelAndZone, 'project_domain', 'project'], gpus())})`,
  },
  heldByStopped: sumBy([...owner, 'region', 'zone', 'model', 'status'], stopped),
  stoppedByProject: sumBy(owner, stopped),
  otherDevices: sumBy(
    ['dev_type', 'model', 'state'],
    select('cloud_isolated_devices', ofPlace, gpuTypes.replace('=~', '!~')),
  ),
};
