import { format } from 'oxfmt';

/** A text as `npm run format` would leave it in a file of this name. */
export async function formatted(path: string, text: string): Promise<string> {
  const { code, errors } = await format(path, text, { printWidth: 110, singleQuote: true });
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]!.message}`);
  return code;
}
