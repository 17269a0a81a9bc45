import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { releasedValues } from "./chart-values.ts";

const { values } = parseArgs({
  options: {
    chart: { type: "string", default: join(import.meta.dirname, "..", "..", "charts", "runwright") },
    registry: { type: "string", default: "" },
    operator: { type: "string", default: "" },
    sandbox: { type: "string", default: "" },
    runbooks: { type: "string", default: "" },
  },
});
const file = join(values.chart, "values.yaml");
await writeFile(file, releasedValues(await readFile(file, "utf8"), values));
