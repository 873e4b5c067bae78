/** Makes sense of a body, in as many turns as it needs. Gives undefined, which JSON cannot say, if it is not JSON. */
export type ParseBody = (body: Buffer) => unknown;

export function parseJson(text: Buffer | string): unknown {
  try {
    return JSON.parse(text.toString());
  } catch {
    return undefined;
  }
}
