import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import {
  apiserverFlags,
  controllerManagerFlags,
  controlPlaneCertificates,
  etcdFlags,
  type ControlPlaneSettings,
} from "./flags.ts";
import { headersOf, type TokenCredentials, tlsOf } from "./credentials.ts";
import { makeKubeconfig } from "./kubeconfig.ts";
import { ensurePki, readPem } from "../../lib/pki.ts";
import { freePorts } from "../../lib/ports.ts";
import type { Progress } from "../../lib/progress.ts";
import { isRunning } from "../../lib/processes.ts";
import { startTethered, type TetheredProgram } from "../../lib/tether.ts";
import { ensureKubernetes } from "../kubernetes/kubernetes.ts";
import { ensureControlPlane } from "../kubernetes/programs.ts";
import { chosenRelease } from "../kubernetes/releases.ts";

/** How a control plane differs from the plain one. */
export interface ControlPlaneOptions {
  /** More flags of kube-apiserver, for example `--enable-admission-plugins=OwnerReferencesPermissionEnforcement`. */
  apiserverFlags?: readonly string[];
  /** Told about slow steps, such as building Kubernetes on the first use. */
  progress?: Progress;
}

/** A running etcd and kube-apiserver with RBAC and ServiceAccount tokens, without nodes; the credentials are admin's. */
export interface ControlPlane extends TokenCredentials {
  /** Temporary folder of this control plane: logs, keys, the kubeconfig. */
  readonly directory: string;
  /** Path of a kubeconfig with admin rights. */
  readonly kubeconfig: string;
  /** Path of kubectl. */
  readonly kubectl: string;
  /** All that etcd holds. */
  readStorage(): Promise<StoredKey[]>;
  /** Starts kube-controller-manager: garbage collection, namespace deletion, default ServiceAccounts; with more flags of its own. */
  startControllerManager(flags?: readonly string[]): Promise<void>;
  /** Ends everything and removes the folder. */
  stop(): Promise<void>;
}

/** One key of etcd. */
export interface StoredKey {
  key: string;
  value: Buffer;
}

const prefix = "runwright-control-plane-";
const startLimitMs = 60_000;

/**
 * Starts a control plane of its own on free loopback ports, in about 2 s. It ends with this process at the latest, even
 * one that is killed. Throws with the end of the component's log when it does not come up within 60 s.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const progress = options.progress ?? (() => undefined);
  const programs = await ensureControlPlane(progress);
  await removeAbandoned();
  const directory = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
  const settings = await makeSettings(directory);
  const tokens = join(directory, "tokens.csv");
  const credentials = await makeCredentials(settings, tokens);
  const kubeconfig = join(directory, "kubeconfig");
  await writeFile(kubeconfig, makeKubeconfig("runwright-test", credentials), { mode: 0o600 });

  const running: TetheredProgram[] = [];
  const start = async (program: string, args: readonly string[], log: string): Promise<TetheredProgram> => {
    const started = await startTethered(program, args, join(directory, log));
    running.unshift(started);
    return started;
  };
  const stop = async (): Promise<void> => {
    // The last started first: an API server without etcd takes long to give up.
    for (const program of running.splice(0)) await program.stop();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await start(programs.etcd, etcdFlags(settings), "etcd.log");
    const own = [`--token-auth-file=${tokens}`, ...(options.apiserverFlags ?? [])];
    const apiserver = await start(programs["kube-apiserver"], [...apiserverFlags(settings), ...own], "apiserver.log");
    await waitUntilReady(credentials, apiserver, join(directory, "apiserver.log"));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...credentials,
    directory,
    kubeconfig,
    kubectl: programs.kubectl,
    readStorage: () => readStorage(settings.etcdPort),
    async startControllerManager(more = []) {
      const manager = (await ensureKubernetes(progress, chosenRelease()))["kube-controller-manager"];
      const [port] = await freePorts(1);
      const flags = [...controllerManagerFlags(settings, kubeconfig), `--secure-port=${port}`, ...more];
      await start(manager, flags, "controller-manager.log");
    },
    stop,
  };
}

async function makeSettings(directory: string): Promise<ControlPlaneSettings> {
  const pki = join(directory, "pki");
  await mkdir(pki);
  await ensurePki(pki, controlPlaneCertificates([]));
  const [etcdPort = 0, etcdPeerPort = 0, apiserverPort = 0] = await freePorts(3);
  const data = join(directory, "etcd");
  const advertiseAddress = "127.0.0.1";
  return { pki, data, etcdPort, etcdPeerPort, apiserverPort, advertiseAddress, serviceCidr: "10.96.0.0/16" };
}

/** By etcd's JSON gateway; a zero byte is the range of all keys. */
async function readStorage(port: number): Promise<StoredKey[]> {
  const all = Buffer.of(0).toString("base64");
  const body = JSON.stringify({ key: all, range_end: all });
  const answer = await fetch(`http://127.0.0.1:${port}/v3/kv/range`, { method: "POST", body });
  const { kvs } = (await answer.json()) as { kvs: { key: string; value?: string }[] };
  return kvs.map(({ key, value = "" }) => {
    return { key: Buffer.from(key, "base64").toString("utf8"), value: Buffer.from(value, "base64") };
  });
}

/** Gives admin a token: the API server would verify a certificate at each request, which was an eighth of its work. */
async function makeCredentials(
  { pki, apiserverPort }: ControlPlaneSettings,
  tokens: string,
): Promise<TokenCredentials> {
  const token = randomBytes(32).toString("base64url");
  await writeFile(tokens, `${token},admin,admin,system:masters\n`, { mode: 0o600 });
  const server = `https://127.0.0.1:${apiserverPort}`;
  return { server, certificateAuthority: await readPem(pki, "ca.crt"), token };
}

async function waitUntilReady(credentials: TokenCredentials, apiserver: TetheredProgram, log: string): Promise<void> {
  const deadline = performance.now() + startLimitMs;
  while (!(await isReady(credentials))) {
    const ended = apiserver.ended();
    if (ended !== undefined || performance.now() > deadline) {
      const end = (await readFile(log, "utf8")).slice(-3000);
      throw new Error(
        `kube-apiserver ${ended === undefined ? "is not ready in time" : `ended with ${ended}`}:\n${end}`,
      );
    }
    await delay(50);
  }
}

function isReady(credentials: TokenCredentials): Promise<boolean> {
  const options = { ...tlsOf(credentials), headers: headersOf(credentials), agent: false };
  return new Promise((resolve) => {
    const request = get(`${credentials.server}/readyz`, options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.once("error", () => resolve(false));
  });
}

/** A killed test run leaves its folder (its programs die with it); the next run removes it. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = name.startsWith(prefix) ? Number(name.slice(prefix.length).split("-")[0]) : 0;
    if (owner > 0 && !isRunning(owner)) await rm(join(tmpdir(), name), { recursive: true, force: true });
  }
}
