import { describe, expect, it } from 'vitest';
import { parseFlags } from '../src/flags.ts';

const problemsOf = (...argv: string[]) => {
  const parsed = parseFlags(argv);
  return 'problems' in parsed ? parsed.problems : [];
};

describe('a flag', () => {
  it.each([
    ['-config.file=x', '-config.file: flags have two dashes; did you mean --config.file?'],
    ['-config.fil=x', '-config.fil: flags have two dashes; did you mean --config.file?'],
    ['-version', '-version: flags have two dashes; did you mean --version?'],
    ['-wibble', '-wibble: flags have two dashes; see --help'],
    ['–config.file=x', '–config.file: flags have two dashes; did you mean --config.file?'],
    ['—config.file=x', '—config.file: flags have two dashes; did you mean --config.file?'],
    ['config.file=x', 'config.file=x: is not a command; did you mean --config.file?'],
    ['serve', 'serve: is not a command; see --help'],
    ['--config-file=x', '--config-file: unknown flag; did you mean --config.file?'],
    ['--config.file=', '--config.file: needs a value, as in --config.file=FILE'],
    ['--demo=yes', '--demo: takes no value'],
  ])('that is written otherwise is one mistake, with the right one: %s', (word, problem) => {
    expect(problemsOf(word)).toEqual([problem]);
    expect(problemsOf('check', word, '--json')).toEqual([problem]);
  });

  it.each([
    ['', { command: 'serve', json: false, listenAddresses: [{ port: 10_700 }], enableDiscovery: false }],
    ['check', { command: 'check', json: false }],
    [
      '--json check --config.file x --config.file=y',
      { command: 'check', json: true, configFiles: ['x', 'y'] },
    ],
    ['check --help', { command: 'help' }],
    ['-h', { command: 'help' }],
    ['--web.listen-address=127.0.0.1:0', { listenAddresses: [{ host: '127.0.0.1', port: 0 }] }],
    ['--web.listen-address=[::1]:80', { listenAddresses: [{ host: '::1', port: 80 }] }],
    ['--web.listen-address=example.com:80', { listenAddresses: [{ host: 'example.com', port: 80 }] }],
    ['--web.external-url=https://a.example.com/b/', { externalUrl: 'https://a.example.com/b' }],
  ])('says what is meant: %s', (words, expected) => {
    expect(parseFlags(words.split(' ').filter(Boolean))).toMatchObject({ arguments: expected });
  });

  it.each([
    '--json',
    'check twice',
    '--web.listen-address=10700',
    '--web.listen-address=:99999',
    '--web.listen-address=::1:80',
    '--web.external-url=metrics.example.com',
    '--web.external-url=ftp://a',
    '--web.external-url=https://me:secret@a',
    '--web.external-url=https://a?b',
  ])('is refused by its name: %s', (words) => {
    const name = words.split('=')[0]!.split(' ').at(-1);
    expect(problemsOf(...words.split(' '))).toEqual([expect.stringMatching(`^${name}: `)]);
    expect(problemsOf(...words.split(' ')).join()).not.toContain('secret');
  });
});

it.each([
  ['--config.file=x', '--config.file'],
  ['--config.lenient', '--config.lenient'],
  ['--shard=0', '--shard'],
  ['--shard=0 --total-shards=2', '--shard and --total-shards'],
])('the demo has no clouds of yours, so %s beside it is one mistake', (words, named) => {
  const told = `--demo: shows a simulated cloud; leave out ${named}, or --demo`;
  expect(problemsOf('--demo', ...words.split(' '))).toEqual([told]);
  expect(problemsOf('--demo', '--web.listen-address=:0', '--log.level=debug')).toEqual([]);
});

describe('the path of the metrics', () => {
  const told = (path: string) => problemsOf(`--web.telemetry-path=${path}`).join();

  it.each(['/probe', '/PROBE', '/probe/', '/sd/servers', '/-/healthy', '/-/reload', '/Runbook/'])(
    'must not be one that is ours already: %s',
    (path) => expect(told(path)).toContain('which the exporter has for something else; choose another'),
  );

  it.each(['/', '//', '/./', '/a/../probe', '/a//b', 'metrics', '/a b', '/:a', '/*', ''])(
    'must be a plain one: %j',
    (path) => expect(told(path)).not.toBe(''),
  );

  it.each(['/metrics', '/probe2', '/sd', '/federate/cloud', '/-/metrics'])('may be %s', (path) =>
    expect(told(path)).toBe(''),
  );
});
