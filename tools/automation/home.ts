/** Where a project lives on GitHub, as OWNER/REPO. */
export interface Home {
  readonly owner: string;
  readonly repository: string;
}

const names = /^([a-z\d](?:[a-z\d-]*[a-z\d])?)\/([\w.-]+)$/i;

export function readHome(text: string): Home | undefined {
  const [, owner, repository] = names.exec(text) ?? [];
  return owner && repository ? { owner, repository } : undefined;
}

/** package.json is where the home is stated; every other mention follows it. */
export function statedHome(manifest: string): Home | undefined {
  const { repository } = JSON.parse(manifest) as { repository?: { url?: string } };
  return readHome(/github\.com\/(.+?)\.git$/.exec(repository?.url ?? '')?.[1] ?? '');
}

export function nameOf({ owner, repository }: Home): string {
  return `${owner}/${repository}`;
}

/** A registry knows lower case only; the placeholder stands in capitals there as well. */
function imageOf(home: Home): string {
  return `ghcr.io/${nameOf(home).toLowerCase()}`;
}

/** A text in which every link, image and chart of one home is that of another. */
export function moveHome(text: string, from: Home, to: Home): string {
  const registry = escape(`ghcr.io/${from.owner}/`);
  const pattern = new RegExp(
    `${registry}${escape(from.repository)}|${registry}|${escape(nameOf(from))}`,
    'gi',
  );
  return text.replaceAll(pattern, (found) => {
    if (!found.startsWith('ghcr.io/')) return nameOf(to);
    return found.endsWith('/') ? `ghcr.io/${to.owner.toLowerCase()}/` : imageOf(to);
  });
}

/** Of the characters that names have, the dot alone means something in a pattern. */
function escape(text: string): string {
  return text.replaceAll('.', '\\.');
}
