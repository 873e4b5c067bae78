import type { Mistake } from './identity.ts';
import { duration } from './quantities.ts';

/** What is wrong between the settings of ages, judged on what was written, valid or not. */
export function ageMistakes(settings: {
  readonly list_max_age?: unknown;
  readonly details_max_age?: unknown;
}): Mistake[] {
  const isOn = (value: unknown) => (duration.safeParse(value).data ?? 0) > 0;
  const isMeant =
    settings.details_max_age !== undefined && !duration.safeParse(settings.details_max_age).success;
  if (!isOn(settings.list_max_age) || isOn(settings.details_max_age) || isMeant) return [];
  const message =
    'needs details_max_age: a list of changes has no details; set that too, such as 30m, or leave this out';
  return [{ key: 'list_max_age', message }];
}
