/** One file of the page, as browsers get it. */
export interface PageFile {
  /** Path of its URL, such as `/assets/main-ABC.js`; that of the document is `/`. */
  path: string;
  type: string;
  content: Uint8Array;
}

/** Files of the page; the build of the programs replaces this module by one that has them. */
export function pageFiles(): readonly PageFile[] {
  throw new Error("only built programs have the page: npm run build");
}
