/** The release that the platform's dialect speaks; the document's dialect has none. */
export type Release = '3.10' | '3.11' | '4.0';
