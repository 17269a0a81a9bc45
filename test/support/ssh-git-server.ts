import { spawn } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import ssh from "ssh2";

import { sshKeyPair } from "./ssh-key-pair.ts";

/** A git server over SSH on loopback; each repository has a key of its own, as deploy keys of code hosts do. */
export interface SshGitServer {
  /** Where it listens. */
  readonly port: number;
  /** Its line of known_hosts. */
  readonly knownHosts: string;
  /** Lets this key read and write one repository. */
  authorize(repository: string, publicKey: string): void;
  close(): Promise<void>;
}

/** Serves bare repositories of a folder. */
export async function startSshGitServer(root: string): Promise<SshGitServer> {
  const host = sshKeyPair();
  const authorized = new Map<string, ssh.ParsedKey>();
  const clients = new Set<ssh.Connection>();
  const server = new ssh.Server({ hostKeys: [host.private] }, (client) => {
    clients.add(client);
    client.once("close", () => clients.delete(client));
    client.on("error", () => undefined);
    let repositories: string[] = [];
    client.on("authentication", (context) => {
      if (context.method !== "publickey") {
        context.reject(["publickey"]);
        return;
      }
      const { blob, signature, hashAlgo, key } = context;
      const found = [...authorized].filter(([, known]) => known.getPublicSSH().equals(key.data));
      const proves =
        !signature || found.every(([, known]) => known.verify(blob ?? Buffer.alloc(0), signature, hashAlgo));
      repositories = found.map(([name]) => name);
      if (repositories.length > 0 && proves) context.accept();
      else context.reject(["publickey"]);
    });
    client.on("session", (accept) => {
      const session = accept();
      session.on("env", (take) => (take as (() => void) | undefined)?.());
      session.on("exec", (take, refuse, { command }) => {
        const [, program, name = ""] = /^git-(upload-pack|receive-pack) '\/?([a-z-]+)\.git'$/.exec(command) ?? [];
        if (program === undefined || !repositories.includes(name)) {
          refuse();
          return;
        }
        serve(take(), program, join(root, `${name}.git`));
      });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    knownHosts: `[127.0.0.1]:${port} ${host.public}`,
    authorize(repository, publicKey) {
      const key = ssh.utils.parseKey(publicKey);
      if (key instanceof Error) throw key;
      authorized.set(repository, key);
    },
    async close() {
      for (const client of clients) client.end();
      const closed = once(server, "close");
      server.close();
      await closed;
    },
  };
}

function serve(channel: ssh.ServerChannel, program: string, folder: string): void {
  const git = spawn("git", [program, folder], { stdio: "pipe" });
  channel.pipe(git.stdin);
  git.stdin.on("error", () => undefined);
  git.stdout.pipe(channel, { end: false });
  git.stderr.pipe(channel.stderr, { end: false });
  git.once("close", (code) => {
    channel.exit(code ?? 1);
    channel.end();
  });
}
