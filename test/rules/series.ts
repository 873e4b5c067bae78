/** What a series is at a minute; nothing where it is not there. */
export type Course = number | ((minute: number) => number | undefined);
export type Series = Readonly<Record<string, Course>>;

/** One number until a minute, and another from then on. */
export function turn(before: number | undefined, after: number | undefined, minute = 30): Course {
  return (now) => (now < minute ? before : after);
}

export function endingAt(end: number, course: Course): Course {
  return (minute) => (minute < end ? valueAt(course, minute) : undefined);
}

export function altered(series: Series, alter: (name: string, course: Course) => Course): Series {
  return Object.fromEntries(Object.entries(series).map(([name, course]) => [name, alter(name, course)]));
}

/** As one exporter tells of it: its job and name are added to each series. */
export function told(by: string, series: Series, until = Infinity): Series {
  const target = `job="cloud-platform-exporter", instance="${by}:10700"`;
  const mine = Object.entries(series).map(([name, course]): [string, Course] => [
    name.includes('{') ? name.replace('{', `{${target}, `) : `${name}{${target}}`,
    endingAt(until, course),
  ]);
  return { [`up{${target}}`]: (minute) => (minute < until ? 1 : 0), ...Object.fromEntries(mine) };
}

const maxStaleMinutes = 5;

/** A cloud that can be read until a minute, with what is told of it. `{` in its series becomes the cloud. */
export function cloud(name: string, series: Series = {}, until = Infinity): Series {
  const servedUntil = until + maxStaleMinutes;
  const seconds = (minute: number) => 60 + 60 * Math.min(minute, until);
  const here = Object.entries({ cloud_servers: 40, ...series }).map(([key, course]): [string, Course] => [
    named(key === 'cloud_servers' ? 'cloud_servers{state="running"}' : key, name),
    endingAt(servedUntil, course),
  ]);
  return {
    [named('cloud_up', name)]: turn(1, 0, until),
    [named('cloud_last_success_timestamp_seconds', name)]: seconds,
    [named('cloud_snapshot_timestamp_seconds', name)]: endingAt(servedUntil, seconds),
    ...Object.fromEntries(here),
  };
}

function named(key: string, name: string): string {
  const label = `cloud=${JSON.stringify(name)}`;
  return key.includes('{') ? key.replace('{', `{${label}, `) : `${key}{${label}}`;
}

export function valueAt(course: Course, minute: number): number | undefined {
  return typeof course === 'number' ? course : course(minute);
}

/** The same as the input of a rule test of promtool. */
export function inputOf(series: Series, minutes: number, step: number) {
  return Object.entries(series).map(([name, course]) => {
    const words: string[] = [];
    let wasThere = false;
    for (let minute = 0; minute <= minutes; minute += step) {
      const value = valueAt(course, minute);
      words.push(value === undefined ? (wasThere ? 'stale' : '_') : String(value));
      wasThere = value !== undefined;
    }
    return { series: name, values: words.join(' ') };
  });
}
