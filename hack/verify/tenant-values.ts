/** Primitives whose time may grow faster than what they are given. */
export type Primitive = "crypto" | "zlib" | "URL" | "RegExp";

/** How a file is seen to use one. */
export const uses: Readonly<Record<Primitive, RegExp>> = {
  crypto: /from "(?:node:crypto|node:tls|ssh2[^"]*|@peculiar\/x509)"/,
  zlib: /from "node:zlib"/,
  URL: /\bnew URL\(|\bURL\.(?:canParse|parse)\(/,
  RegExp: /\bnew RegExp\(|from "re2js"/,
};

/** Programs that run for one person or in a tenant's own pod, and what is read when we build. */
export const notShared =
  /^src\/(?:cli|codegen|page|sandbox-runtime|telemetry)\/|\.test\.ts$|\.d\.ts$|\/fake-[^/]+\.ts$/;

const ofOperator = "the operator's own settings, read once at start";
const ofPattern = "the pattern is made of our constants, and is anchored";
const shortIds = "names and UIDs, 253 characters each";

interface Place {
  uses: readonly Primitive[];
  /** What reaches it at most. */
  bound: string;
}

/** Every place of a process that tenants share where a value meets such a primitive, with the value's bound. */
export const places: Readonly<Record<string, Place>> = {
  "src/api/runtime/children.ts": { uses: ["RegExp"], bound: ofPattern },
  "src/api/v1alpha1/clone-url.ts": { uses: ["URL"], bound: "the host of a URL of 2,048 characters; linear" },
  "src/api/v1alpha1/tunnel-route.ts": { uses: ["RegExp"], bound: ofPattern },
  "src/blobs/blob-store.ts": { uses: ["RegExp"], bound: ofPattern },
  "src/config/common.ts": { uses: ["RegExp"], bound: ofPattern },
  "src/connector/linear/named-repository.ts": {
    uses: ["RegExp"],
    bound: "the pattern is a name of 200 characters with all its signs escaped; no part repeats another",
  },
  "src/connector/quoted.ts": { uses: ["RegExp"], bound: "one run of a single letter" },
  "src/connector/slack/download.ts": { uses: ["URL"], bound: "an address of a parsed answer, 1 MiB at most; linear" },
  "src/controllers/automation/slots/resources.ts": { uses: ["crypto"], bound: shortIds },
  "src/controllers/certificates/x509.ts": { uses: ["crypto"], bound: "our own certificates" },
  "src/controllers/image/decide/backoff.ts": { uses: ["crypto"], bound: "the settings of 20 repositories" },
  "src/controllers/image/decide/slots.ts": { uses: ["crypto"], bound: shortIds },
  "src/controllers/run/first-prompt/pretty-json.ts": { uses: ["RegExp"], bound: "our own pattern; 64 KB of payload" },
  "src/controllers/run/skipped-copy.ts": { uses: ["crypto"], bound: shortIds },
  "src/controllers/sandbox/images/fingerprint.ts": { uses: ["crypto"], bound: "the settings of 20 repositories" },
  "src/controllers/sandbox/images/secrets-mac.ts": { uses: ["crypto"], bound: "a sandbox's secrets; linear" },
  "src/controllers/sandbox/pod/names.ts": { uses: ["crypto"], bound: shortIds },
  "src/controllers/sandbox/pod/pod.ts": { uses: ["URL"], bound: ofOperator },
  "src/controllers/sandbox/pool/revision.ts": { uses: ["crypto"], bound: "a SandboxClass; linear" },
  "src/controllers/start-controllers.ts": { uses: ["URL"], bound: ofOperator },
  "src/domain/deliveries/idempotency-key.ts": {
    uses: ["crypto"],
    bound: "64 KB of payload or 16 KB of a header; linear",
  },
  "src/domain/images/image-key.ts": { uses: ["crypto"], bound: "an image or a file of 10 MiB, in a thread; linear" },
  "src/domain/integrations/mention.ts": {
    uses: ["RegExp"],
    bound: "131,072 characters; the pattern is a login with all its signs escaped",
  },
  "src/domain/integrations/names.ts": { uses: ["crypto"], bound: "ids of a provider's, 16 KB of headers; linear" },
  "src/domain/integrations/text-match.ts": {
    uses: ["RegExp"],
    bound: "RE2, an expression of 500 instructions, a message of 40,000 characters",
  },
  "src/domain/keys.ts": { uses: ["crypto"], bound: "a key in a header, 16 KB; linear" },
  "src/domain/object-names.ts": { uses: ["crypto"], bound: "64 KB; linear" },
  "src/domain/runs/session-name.ts": { uses: ["crypto"], bound: shortIds },
  "src/domain/skills/revision.ts": { uses: ["crypto"], bound: "the files of a Skill, 1 MiB; linear" },
  "src/domain/skills/skill-set.ts": { uses: ["crypto"], bound: "a set of Skills, 5 MiB; linear" },
  "src/domain/tracing/trace-context.ts": { uses: ["crypto"], bound: shortIds },
  "src/config/environment-reader.ts": { uses: ["URL"], bound: ofOperator },
  "src/gateway/children/spawns.ts": { uses: ["crypto"], bound: "a request of a child, bounded by its schema; linear" },
  "src/gateway/credentials/token-mint.ts": {
    uses: ["crypto"],
    bound: "authorities of one Secret, 1 MiB, and servers that the operator names; linear",
  },
  "src/gateway/events/event-paths.ts": { uses: ["RegExp"], bound: ofPattern },
  "src/gateway/http/certificate.ts": { uses: ["crypto"], bound: "our own certificate" },
  "src/gateway/http/inputs.ts": { uses: ["RegExp"], bound: ofPattern },
  "src/gateway/http/tls-server.ts": { uses: ["crypto"], bound: "a handshake; no certificate is asked of clients" },
  "src/gateway/http/token-reviews.ts": { uses: ["crypto"], bound: "a token of 16,384 characters; linear" },
  "src/gateway/replicas/replicas.ts": { uses: ["crypto", "URL"], bound: "addresses of our own replicas" },
  "src/gateway/sessions/prompt-requests.ts": { uses: ["crypto"], bound: "an id of 128 characters; linear" },
  "src/gateway/snapshots/archive-check.ts": {
    uses: ["crypto"],
    bound: "an archive of the class's workspaceSizeLimit, piece by piece; linear",
  },
  "src/gateway/tunnels/headers.ts": { uses: ["URL"], bound: "a header of a sandbox's server, 16 KB; linear" },
  "src/ingress/app.ts": { uses: ["RegExp"], bound: ofPattern },
  "src/ingress/integrations/github-protocol.ts": { uses: ["crypto"], bound: "a signed body of 25 MiB; linear" },
  "src/ingress/media-type.ts": { uses: ["RegExp"], bound: "a Content-Type of 256 characters" },
  "src/ingress/signature.ts": { uses: ["crypto"], bound: "a body of its route's limit, once for each secret; linear" },
  "src/kube/connections.ts": { uses: ["URL"], bound: ofOperator },
  "src/kube/http-transport.ts": { uses: ["URL"], bound: ofOperator },
  "src/lib/cidr.ts": { uses: ["URL"], bound: "an address of a Node or of the operator's settings" },
  "src/lib/dns-label.ts": { uses: ["RegExp"], bound: ofPattern },
  "src/lib/random.ts": { uses: ["crypto"], bound: "our own numbers of bytes" },
  "src/lib/rsa-key.ts": { uses: ["crypto"], bound: "16,384 characters, RSA alone, 2,048 to 8,192 bits" },
  "src/lib/ssh-key.ts": { uses: ["crypto"], bound: "16,384 characters" },
  "src/lib/web-address.ts": { uses: ["URL"], bound: "an apiURL, bounded by its schema; linear" },
  "src/page-server/api-route.ts": { uses: ["RegExp"], bound: ofPattern },
  "src/page-server/page-server.ts": { uses: ["URL"], bound: "a URL of a request, 16 KB; linear" },
  "src/config/tracing.ts": { uses: ["URL"], bound: ofOperator },
  "src/config/web.ts": { uses: ["RegExp"], bound: ofPattern },
  "src/web/gateway-link.ts": { uses: ["crypto", "URL"], bound: ofOperator },
  "src/web/provider-sign-in.ts": { uses: ["URL"], bound: "a URL of a request, 16 KB; linear" },
  "src/web/return-path.ts": { uses: ["URL"], bound: "1,000 characters" },
};
