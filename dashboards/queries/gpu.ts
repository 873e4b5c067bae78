import {
  gpuTypes,
  maxBy,
  naming,
  ofCloud,
  ofPlace,
  once,
  oneOfEachServer,
  orZero,
  select,
  sumBy,
} from '../selectors.ts';

const gpus = (...matchers: string[]) =>
  once('cloud_servers_devices', ofPlace, gpuTypes, 'model=~"$model"', ...matchers);
const stopped = gpus('state="stopped"');
const modelAndZone = ['model', 'cloud', 'region', 'zone'];
const owner = ['cloud', 'project_domain', 'project'];
const server = ['cloud', 'id'];

const names = [...server, 'name', 'host', 'project_domain', 'project', 'zone'];
const stoppedStatus = select('cloud_server_status', ofCloud, 'state="stopped"');

/** Only where single servers are exported; it does not tell which kind of device. */
const stoppedServers = [
  oneOfEachServer(maxBy(names, select('cloud_server_info', ofPlace))),
  `* on (cloud, id) group_left (status) ${oneOfEachServer(maxBy([...server, 'status'], stoppedStatus))}`,
  `* on (cloud, id) group_left () (${maxBy(server, select('cloud_server_isolated_devices', ofCloud))} > 0)`,
].join(' ');

export const gpu = {
  devices: orZero(sumBy([], gpus())),
  running: orZero(sumBy([], gpus('state="running"'))),
  stopped: orZero(sumBy([], stopped)),
  stoppedShare: `(${orZero(sumBy([], stopped))}) / sum(${gpus()})`,
  servers: orZero(sumBy([], once('cloud_servers_gpu', ofPlace))),
  projects: orZero(`count(${sumBy(owner, gpus())})`),
  byModel: sumBy(['model'], gpus()),
  byState: (matcher: string) => sumBy([], gpus(matcher)),
  holders: naming(['project'], `sort_desc(topk($top, ${sumBy(owner, gpus())}))`),
  places: {
    devices: sumBy(modelAndZone, gpus()),
    running: sumBy(modelAndZone, gpus('state="running"')),
    stopped: sumBy(modelAndZone, stopped),
    projects: `count by (${modelAndZone.join(', ')}) (${sumBy([...modelAndZone, 'project_domain', 'project'], gpus())})`,
  },
  heldByStopped: sumBy([...owner, 'zone', 'model', 'status'], stopped),
  stoppedServers,
  stoppedByProject: sumBy(owner, stopped),
  otherDevices: sumBy(
    ['dev_type', 'model', 'state'],
    once('cloud_servers_devices', ofPlace, gpuTypes.replace('=~', '!~')),
  ),
};
