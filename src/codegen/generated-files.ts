import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { kinds, reasonMeanings, type Kind } from "../api/v1alpha1/index.ts";
import { type Dashboard, dashboards } from "./dashboards.ts";
import { definedMetrics } from "./defined-metrics.ts";
import { metricsPage } from "./metrics-page.ts";
import { customResourceDefinition } from "./custom-resource-definition.ts";
import { formLimitsModule } from "./form-limits.ts";
import { openApiDocument } from "../gateway/api/openapi.ts";
import { grafanaDashboard } from "./grafana-dashboard.ts";
import { fileName, reasonsPage, referenceIndex, referencePage } from "./reference-page.ts";
import { apiOperationsModule, apiTypesModule } from "./page-files.ts";
import { peopleRolesTemplate } from "./people-roles.ts";
import { policiesManifest, policiesTemplate } from "./policies.ts";
import { rolesTemplate } from "./roles.ts";
import type { GeneratedFiles } from "./stale-files.ts";
import { yamlFile } from "./yaml.ts";

/** Folders that contain generated files only. */
export const generatedFolders = [
  "crds",
  "charts/runwright/crds",
  "charts/runwright/files",
  "charts/runwright/files/dashboards",
  "charts/runwright/templates/generated",
  "docs/reference",
  "manifests/dashboards",
  "src/page-server/generated",
  "src/page/generated",
];

const templates = "charts/runwright/templates/generated";

function definitionFiles(kind: Kind): [string, string][] {
  const name = `${kind.group}_${kind.plural}.yaml`;
  const text = yamlFile([customResourceDefinition(kind)]);
  return ["crds", "charts/runwright/crds"].map((folder) => [`${folder}/${name}`, text]);
}

/** A chart cannot read files outside of itself. */
function dashboardFiles(dashboard: Dashboard): [string, string][] {
  const text = `${JSON.stringify(grafanaDashboard(dashboard), null, 2)}\n`;
  return ["manifests/dashboards", "charts/runwright/files/dashboards"].map((folder) => [
    `${folder}/${dashboard.uid}.json`,
    text,
  ]);
}

/** Makes the text of every generated file from the sources below `root`; writes nothing. */
export async function generatedFiles(root: string): Promise<GeneratedFiles> {
  const api = openApiDocument();
  return new Map([
    ...kinds.flatMap(definitionFiles),
    ...kinds.map((kind): [string, string] => [`docs/reference/${fileName(kind)}`, referencePage(kind)]),
    ["docs/reference/README.md", referenceIndex(kinds)],
    ["docs/reference/openapi.json", `${JSON.stringify(api, null, 2)}\n`],
    ["src/page-server/generated/api-operations.ts", apiOperationsModule(api)],
    ["src/page/generated/rest-api.ts", await apiTypesModule(api)],
    ["src/page/generated/form-limits.ts", formLimitsModule()],
    ["docs/reference/metrics.md", metricsPage(definedMetrics())],
    ...dashboards.flatMap(dashboardFiles),
    ["docs/reference/reasons.md", reasonsPage(reasonMeanings)],
    [`${templates}/policies.yaml`, policiesTemplate()],
    ["manifests/policies.yaml", policiesManifest()],
    // A chart cannot read files outside of itself.
    ["charts/runwright/files/alerts.yaml", await readFile(join(root, "manifests/alerts.yaml"), "utf8")],
    [`${templates}/people-roles.yaml`, peopleRolesTemplate(kinds)],
    [`${templates}/roles.yaml`, await rolesTemplate(join(root, "src"))],
  ]);
}
