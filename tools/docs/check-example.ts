import { check } from '../../src/check/check.ts';
import { systemClock } from '../../src/clock.ts';
import { loadConfig } from '../../src/config/load.ts';
import { exporterAccount, systemProject } from '../../src/simulator/accounts.ts';
import { startSimulatedCloud } from '../../test/simulator/cloud.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { silentLog } from '../../test/support/silent-log.ts';

const started = Date.parse('2026-11-15T08:00:00Z');

/** The report of `check` on a cloud whose password soon expires, held still but for the time of its one list. */
export async function checkExample(): Promise<string> {
  let now = started;
  const clock = { ...systemClock, now: () => now, monotonic: () => now };
  const cloud = await startSimulatedCloud({
    fleet: createFleet({ servers: 260, now: clock.now }),
    now: clock.now,
    passwordExpiresAt: Date.parse('2026-11-20T12:00:00Z'),
  });
  cloud.hooks.beforePage = () => void (now += 43);
  const environment = {
    OS_AUTH_URL: cloud.authUrl,
    OS_USER_ID: exporterAccount.id,
    OS_PASSWORD: exporterAccount.password,
    OS_PROJECT_NAME: systemProject.name,
    OS_PROJECT_DOMAIN_NAME: systemProject.domain.name,
    CLOUD_NAME: 'prod',
  };
  const written: string[] = [];
  try {
    await check({
      loadConfig: () => loadConfig({ environment }),
      version: '',
      asJson: false,
      clock,
      log: silentLog,
      write: (text) => void written.push(text),
      progress: { isWatched: false, write: () => undefined },
    });
  } finally {
    await cloud.close();
  }
  const report = written.join('').replaceAll(`http://127.0.0.1:${cloud.port}`, 'https://cloud.example.com');
  return `\`\`\`text\n${abridged(report)}\`\`\``;
}

/** Of the families, the first ones: the reference has all. */
function abridged(report: string): string {
  const families = /^( +\d+ {2}cloud_.*\n)+/m;
  return report.replace(families, (lines) => `${lines.split('\n').slice(0, 4).join('\n')}\n          …\n`);
}
