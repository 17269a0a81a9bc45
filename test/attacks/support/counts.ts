import { release } from "../../e2e/support/install.ts";
import { kubectl, type Workbench } from "../../e2e/support/workbench.ts";

/** Counters that refusals raise: a metric, and the labels by whose values its counts are told apart here. */
interface Counter {
  /** Begins the names of its counts. */
  name: string;
  metric: string;
  labels: readonly string[];
  /** Series that count; all of them where it is left out. */
  only?: Readonly<Record<string, RegExp>>;
}

const ofGateway: readonly Counter[] = [
  { name: "gateway", metric: "runwright_gateway_sandbox_refusals_total", labels: ["reason"] },
  { name: "request", metric: "runwright_gateway_sandbox_requests_total", labels: ["path", "status"] },
  { name: "people", metric: "runwright_gateway_people_requests_total", labels: ["status"] },
];
const ofIngress: readonly Counter[] = [
  { name: "ingress", metric: "runwright_ingress_requests_total", labels: ["status"] },
];
const ofApiServer: readonly Counter[] = [
  { name: "authentication", metric: "authentication_attempts", labels: [], only: { result: /failure|error/ } },
  { name: "authorization", metric: "authorization_attempts_total", labels: [], only: { result: /denied|no-opinion/ } },
  {
    name: "policy",
    metric: "apiserver_validating_admission_policy_check_total",
    labels: [],
    only: { enforcement_action: /deny/ },
  },
  {
    name: "profile",
    metric: "pod_security_evaluations_total",
    labels: [],
    only: { decision: /deny/, mode: /enforce/ },
  },
];

/** How often each kind of attempt was refused so far, by a name such as `gateway NotThisPod` or `people 403`. */
export async function readCounts(bench: Workbench): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const texts = await Promise.all([
    ofProcess(bench, "gateway").then((found) => ({ text: found, counters: ofGateway })),
    ofProcess(bench, "ingress").then((found) => ({ text: found, counters: ofIngress })),
    kubectl(bench, ["get", "--raw", "/metrics"]).then((found) => ({ text: found, counters: ofApiServer })),
  ]);
  for (const { text, counters } of texts) {
    for (const counter of counters)
      for (const [name, value] of read(text, counter)) counts.set(name, (counts.get(name) ?? 0) + value);
  }
  return counts;
}

async function ofProcess(bench: Workbench, component: string): Promise<string> {
  const { namespace, name } = release;
  const selector = `app.kubernetes.io/instance=${name},app.kubernetes.io/component=${component}`;
  const pods = await kubectl(bench, ["-n", namespace, "get", "pods", "-l", selector, "-o", "name"]);
  const paths = pods
    .trim()
    .split("\n")
    .map((pod) => pod.replace("pod/", ""));
  const texts = paths.map((pod) => {
    return kubectl(bench, ["get", "--raw", `/api/v1/namespaces/${namespace}/pods/${pod}:9090/proxy/metrics`]);
  });
  return (await Promise.all(texts)).join("\n");
}

function read(text: string, { name, metric, labels, only = {} }: Counter): [string, number][] {
  return [...text.matchAll(new RegExp(`^${metric}\\{([^}]*)\\} (\\S+)$`, "gm"))].flatMap(([, series = "", value]) => {
    const has = (label: string): string => new RegExp(`(?:^|,)${label}="([^"]*)"`).exec(series)?.[1] ?? "";
    if (!Object.entries(only).every(([label, wanted]) => wanted.test(has(label)))) return [];
    return [[[name, ...labels.map(has)].join(" "), Number(value)] satisfies [string, number]];
  });
}
