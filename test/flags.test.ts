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

  it('may be -h, or have its value as the next word', () => {
    expect(parseFlags(['-h'])).toMatchObject({ arguments: { command: 'help' } });
    expect(parseFlags(['--config.file', 'x', '--config.file=y'])).toMatchObject({
      arguments: { configFiles: ['x', 'y'], enableDiscovery: false, listenAddresses: [{ port: 10_700 }] },
    });
    expect(problemsOf('-config.file', 'x')).toEqual([
      '-config.file: flags have two dashes; did you mean --config.file?',
      'x: is not a command; see --help',
    ]);
  });

  it('tells under which address others reach the exporter, without a slash at its end', () => {
    expect(parseFlags(['--web.external-url=https://metrics.example.com/cloud/'])).toMatchObject({
      arguments: { externalUrl: 'https://metrics.example.com/cloud' },
    });
    for (const url of ['metrics.example.com', 'ftp://a', 'https://me:secret@a', 'https://a?b'])
      expect(problemsOf(`--web.external-url=${url}`)).toEqual([
        expect.stringMatching(/^--web\.external-url: /),
      ]);
  });
});

describe('the path of the metrics', () => {
  const told = (path: string) => problemsOf(`--web.telemetry-path=${path}`).join();

  it.each(['/probe', '/PROBE', '/probe/', '/sd/servers', '/-/healthy', '/-/reload', '/Runbook/'])(
    'must not be one that is ours already: %s',
    (path) => {
      expect(told(path)).toContain('which the exporter has for something else; choose another');
    },
  );

  it.each(['/', '//', '/./', '/a/../probe', '/a//b', 'metrics', '/a b', '/:a', '/*', ''])(
    'must be a plain one: %j',
    (path) => {
      expect(told(path)).not.toBe('');
    },
  );

  it.each(['/metrics', '/probe2', '/sd', '/federate/cloud', '/-/metrics'])('may be %s', (path) => {
    expect(told(path)).toBe('');
  });
});
