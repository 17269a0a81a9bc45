/** Where the history of Runs and Sessions is kept beyond the cluster. */
export type ArchiveConfig =
  | { mode: "none" }
  /** A file of this replica's own. */
  | { mode: "embedded"; file: string }
  /** A server over TLS; a folder holds `username`, `password` and, unless a public authority signs, `ca.crt`. */
  | { mode: "postgresql"; host: string; port: number; database: string; credentials: string };
