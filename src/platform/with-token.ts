import type { Token } from '../identity/issue.ts';
import type { TokenSource } from '../identity/token.ts';
import { Failure } from '../transport/failure.ts';
import { asksTooMuch } from '../transport/privilege.ts';

/** Sends a request with the token held; if that is refused, once more with a new one. */
export async function sendWithToken<Result>(
  tokens: TokenSource,
  { deadline, signal }: { readonly deadline: number; readonly signal?: AbortSignal },
  send: (token: Token) => Promise<Result>,
): Promise<Result> {
  const token = await tokens.obtain(deadline, signal);
  try {
    return await send(token).catch((error: unknown) => {
      // The platform also refuses while it cannot ask its identity service: that may pass.
      if (!tokens.isPrecious || !isRefusal(error)) throw error;
      return send(token);
    });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const fresh = await tokens.replace(token, deadline, signal);
    if (!fresh) throw error;
    return send(fresh);
  }
}

/** The platform answers 403 for a dead token; the document suggests 401. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Failure) || error.operation === 'login') return false;
  if (error.privilege && asksTooMuch(error.privilege)) return false;
  return error.reason === 'unauthorized' || error.reason === 'forbidden';
}
