import { maxBy, ofCloud, ofExporterJobs, select } from '../selectors.ts';

/** For so long a cloud that nobody reads any more is missed. */
const memory = '1d';

const up = select('cloud_up', ofCloud);
const remembered = `max_over_time(${up}[${memory}])`;
const lost = `${maxBy(['cloud'], remembered)} unless ${maxBy(['cloud'], up)}`;
const down = `${maxBy(['cloud'], up)} == 0`;
const downOrLost = `(${down}) or (0 * (${lost}))`;
const someUp = `count(${up} == 1)`;

const exporters = select('up', ofExporterJobs);
const lastSuccess = `max_over_time(${select('cloud_last_success_timestamp_seconds', ofCloud)}[${memory}])`;

/** A tile of names has no words for no value, so nothing gets a name as well. */
const named = (name: string, vector: string) => `label_replace(${vector}, "cloud", "${name}", "", "")`;
const none = named('none', `(${someUp} > bool 0) unless on () (${downOrLost})`);
const notKnown = named('not known', `vector(2) unless on () count(${remembered})`);

export const trust = {
  cloudsDown: `count(${downOrLost}) or 0 * ${someUp}`,
  whichDown: `sort((${downOrLost}) or ${none} or ${notKnown})`,
  exportersDown: `count(${exporters} == 0) or 0 * count(${exporters} == 1)`,
  oldest: `max(time() - ${maxBy(['cloud'], lastSuccess)})`,
};
