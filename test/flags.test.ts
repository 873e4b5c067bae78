import { describe, expect, it } from 'vitest';
import { parseFlags } from '../src/flags.ts';

describe('a flag', () => {
  const problemsOf = (...argv: string[]) => {
    const parsed = parseFlags(argv);
    return 'problems' in parsed ? parsed.problems : [];
  };

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
  ])('that is written otherwise is one mistake, with the right one: %s', (word, problem) => {
    expect(problemsOf(word)).toEqual([problem]);
    expect(problemsOf('check', word, '--json')).toEqual([problem]);
  });

  it('may be -h, and may have a value that begins with a dash', () => {
    expect(parseFlags(['-h'])).toMatchObject({ arguments: { command: 'help' } });
    expect(problemsOf('-config.file', 'x')).toEqual([
      '-config.file: flags have two dashes; did you mean --config.file?',
      'x: is not a command; see --help',
    ]);
  });

  it('tells under which address others reach the exporter, without a slash at its end', () => {
    const urlOf = (url: string) => parseFlags([`--web.external-url=${url}`]);
    expect(urlOf('https://metrics.example.com/cloud/')).toMatchObject({
      arguments: { externalUrl: 'https://metrics.example.com/cloud', enableDiscovery: false },
    });
    expect(parseFlags(['--web.enable-discovery'])).toMatchObject({
      arguments: { externalUrl: undefined, enableDiscovery: true },
    });
    for (const url of ['metrics.example.com', 'ftp://a', 'https://me:secret@a', 'https://a?b'])
      expect(urlOf(url)).toEqual({ problems: [expect.stringMatching(/^--web\.external-url: /)] });
  });
});
