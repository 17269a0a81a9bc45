import { join } from "node:path";
import { parseArgs } from "node:util";

import { progressOnStderr } from "../../lib/progress.ts";
import { writeReleaseFiles } from "./release-files.ts";

const { values } = parseArgs({
  options: {
    output: { type: "string", default: join(import.meta.dirname, "..", "..", "..", "dist", "plugin") },
    repository: { type: "string", default: "" },
  },
});
await writeReleaseFiles(values.output, values.repository, progressOnStderr("plugin"));
