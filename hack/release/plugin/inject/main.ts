// Puts a blob into a copy of Node. A process of its own: it works for seconds and warns on standard error of what Node's files have.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

interface Postject {
  inject: (file: string, resource: string, content: Buffer, options: { sentinelFuse: string }) => Promise<void>;
}

const [postject = "", executable = "", blob = ""] = process.argv.slice(2);
const { inject } = createRequire(import.meta.url)(postject) as Postject;
// Names that Node's documentation of single executable applications gives.
await inject(executable, "NODE_SEA_BLOB", await readFile(blob), {
  sentinelFuse: "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2",
});
