import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

export interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly shell?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

export interface Job {
  readonly 'runs-on': string;
  readonly container?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly needs?: string | readonly string[];
  readonly environment?: string;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly string[]>> };
  readonly steps: readonly Step[];
}

export interface Workflow {
  readonly name: string;
  readonly text: string;
  readonly on: unknown;
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const folder = new URL('../../.github/workflows/', import.meta.url);

/** By the name of the file. */
export const workflows: ReadonlyMap<string, Workflow> = new Map(
  readdirSync(folder).map((name) => {
    const text = readFileSync(new URL(name, folder), 'utf8');
    return [name, { ...(parse(text) as Omit<Workflow, 'text'>), text }];
  }),
);

export function jobsOf(workflow: Workflow): readonly (Job & { readonly id: string })[] {
  return Object.entries(workflow.jobs).map(([id, job]) => ({ id, ...job }));
}

export const everyJob = [...workflows].flatMap(([file, workflow]) =>
  jobsOf(workflow).map((job) => ({ file, ...job })),
);
