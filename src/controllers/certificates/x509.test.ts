import { createServer, connect } from "node:tls";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { systemRandom as random } from "../../lib/random.ts";
import { issueServing, makeAuthority, readAuthority, readServing } from "./x509.ts";

const now = new Date();

it("issues what a TLS client accepts by the authority alone, under each of the names", async () => {
  const authority = await makeAuthority(now, random);
  const serving = await issueServing(authority, ["gateway.system.svc", "gateway"], { now, random });
  const server = createServer({ cert: serving.cert, key: serving.key }).listen(0);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const talk = async (ca: string, servername: string): Promise<string> => {
    const socket = connect({ port, ca, servername });
    const answer = await Promise.race([
      once(socket, "secureConnect").then(() => "accepted"),
      once(socket, "error").then(([error]) => (error as NodeJS.ErrnoException).code ?? ""),
    ]).catch((error: unknown) => (error as NodeJS.ErrnoException).code ?? "");
    socket.destroy();
    return answer;
  };
  const stranger = await makeAuthority(now, random);

  expect(await talk(authority.cert, "gateway.system.svc")).toBe("accepted");
  expect(await talk(authority.cert, "gateway")).toBe("accepted");
  expect(await talk(authority.cert, "elsewhere")).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
  expect(await talk(stranger.cert, "gateway")).not.toBe("accepted");
  server.close();
});

it("reads the signer, the names and the end of a certificate", async () => {
  const [ours, other] = [await makeAuthority(now, random), await makeAuthority(now, random)];
  const { cert } = await issueServing(ours, ["a", "b"], { now, random });

  expect(readServing(cert, [other.cert, ours.cert])).toMatchObject({
    signer: readAuthority(ours)?.fingerprint,
    dnsNames: ["a", "b"],
  });
  expect(readServing(cert, [other.cert])?.signer).toBe("");
  expect(readAuthority(ours)!.notAfterMs - now.getTime()).toBeGreaterThan(364 * 86_400_000);
  expect(readServing("no certificate", [])).toBeUndefined();
  expect(readAuthority({ cert: "", key: "" })).toBeUndefined();
});
