import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { freePorts } from "../../../hack/lib/ports.ts";
import { kubectl, type Workbench } from "./workbench.ts";
import { startTethered } from "../../../hack/lib/tether.ts";
import { ensureNginx } from "../../../hack/toolchain/nginx.ts";
import { until } from "../../support/kube.ts";

/** An Ingress as far as it is served here: its class and annotations say nothing to us. */
interface Ingress {
  spec: {
    tls: { secretName: string }[];
    rules: { host: string; http: { paths: { path: string; pathType: "Prefix" }[] } }[];
  };
}

/** nginx with what one Ingress says. */
export interface IngressController {
  port: number;
  stop(): Promise<void>;
}

/**
 * Debian's nginx in the place of an ingress controller: it reads an Ingress and its TLS Secret from the cluster and
 * sends on to `upstream`, with nginx's own limits. Hosts that the Ingress does not name get no handshake.
 */
export async function serveIngress(
  bench: Workbench,
  { namespace, name, upstream }: { namespace: string; name: string; upstream: string },
): Promise<IngressController> {
  const read = async (kind: string, of: string): Promise<unknown> =>
    JSON.parse(await kubectl(bench, ["-n", namespace, "get", kind, of, "-o", "json"]));
  // What the API server stored of the chart's own objects.
  const ingress = (await read("ingress", name)) as Ingress;
  const { data } = (await read("secret", ingress.spec.tls[0]?.secretName ?? "")) as { data: Record<string, string> };
  const folder = await mkdtemp(join(tmpdir(), "runwright-nginx-"));
  await mkdir(join(folder, "temporary"));
  for (const file of ["tls.crt", "tls.key"]) {
    await writeFile(join(folder, file), Buffer.from(data[file] ?? "", "base64"), { mode: 0o600 });
  }
  const [port = 0] = await freePorts(1);
  await writeFile(join(folder, "nginx.conf"), configOf(ingress, { folder, port, upstream }));
  const program = await ensureNginx(() => undefined);
  const log = join(folder, "error.log");
  const nginx = await startTethered(program, ["-p", folder, "-e", log, "-c", join(folder, "nginx.conf")], log);
  const stop = async (): Promise<void> => {
    await nginx.stop();
    await rm(folder, { recursive: true, force: true });
  };
  await until("nginx answers", async () => {
    if (nginx.ended() !== undefined) throw new Error(`nginx ended: ${await readFile(log, "utf8")}`);
    const host = ingress.spec.rules[0]?.host ?? "";
    return send({ port, host, path: "/", insecure: true }).then(
      () => true,
      () => false,
    );
  });
  return { port, stop };
}

function configOf(
  { spec }: Ingress,
  { folder, port, upstream }: { folder: string; port: number; upstream: string },
): string {
  const location = (match: string): string => `
      location ${match} {
        proxy_pass ${upstream};
        proxy_http_version 1.1;
        proxy_set_header Host $host;
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        proxy_set_header X-Forwarded-Proto https;
      }`;
  // A prefix of an Ingress ends at a slash, other than nginx's.
  const locations = (path: string): string => location(`= ${path}`) + location(`${path}/`);
  const servers = spec.rules.map(
    ({ host, http }) => `
    server {
      listen 127.0.0.1:${port} ssl;
      server_name ${host};
      ${http.paths.map(({ path }) => locations(path)).join("\n")}
      location / { return 404; }
    }`,
  );
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (what) => `${what}_temp_path ${join(folder, "temporary", what)};`,
  );
  return `
  daemon off;
  user root;
  pid ${join(folder, "pid")};
  events {}
  http {
    access_log off;
    ${temporary.join("\n    ")}
    ssl_certificate ${join(folder, "tls.crt")};
    ssl_certificate_key ${join(folder, "tls.key")};
    server { listen 127.0.0.1:${port} ssl default_server; ssl_reject_handshake on; }
    ${servers.join("\n")}
  }`;
}

/** One request over TLS, sent to nginx whatever the host's name resolves to. */
export interface TlsRequest {
  port: number;
  host: string;
  path: string;
  /** PEM of whom the sender trusts. */
  ca?: string;
  headers?: Record<string, string>;
  body?: string;
  /** Takes any certificate. */
  insecure?: boolean;
}

export interface TlsAnswer {
  status: number;
  /** `Runwright-Delivery-Id`, which only the ingress gives. */
  deliveryId: string | undefined;
  text: string;
}

/** Posts the body, and gives the answer whatever its status; rejects when there is none. */
export function send({ port, host, path, ca, headers, body = "", insecure = false }: TlsRequest): Promise<TlsAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ...{ host: "127.0.0.1", port, path, method: "POST", servername: host, agent: false, ca },
        headers: { host, "content-length": Buffer.byteLength(body), ...headers },
        rejectUnauthorized: !insecure,
      },
      (answer) => {
        let text = "";
        answer.setEncoding("utf8");
        answer.on("data", (chunk: string) => (text += chunk));
        answer.on("error", reject);
        answer.on("end", () => {
          const id = answer.headers["runwright-delivery-id"];
          resolve({ status: answer.statusCode ?? 0, deliveryId: typeof id === "string" ? id : undefined, text });
        });
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}
