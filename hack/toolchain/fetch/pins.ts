import { envtest } from "./envtest-pins.ts";
import { wholeDownload, type Publication } from "./publication.ts";

/** kind, which runs a cluster in Docker. */
export const kind: Publication = {
  title: "kind 0.33.0",
  version: "0.33.0",
  // Read as cert-manager/makefile-modules, modules/tools/00_mod.mk, has them, which agrees with others that took them.
  source: "kind-OS-ARCH.sha256sum beside each program of github.com/kubernetes-sigs/kind/releases/tag/v0.33.0",
  url: (platform) => `https://github.com/kubernetes-sigs/kind/releases/download/v0.33.0/kind-${platform}`,
  algorithm: "sha256",
  digests: {
    "linux-amd64": "aee6151561422756b764a4ae28e7f44cda5af5a9eead3cc9985112b1de8d8e0d",
    "linux-arm64": "20022bee6cfcd5086cb7234d218e3454e6090022f2a8f55d1fa7fcf42c3867a2",
    "darwin-amd64": "5a99f26f57246dc9319dd294803313197a0f34d33c525b3ea8b655db5916ece0",
    "darwin-arm64": "0c8c7dbe5e23594a198b786c4bc13dacc101fa6196b0cb0b23a1ca44e61f4b4f",
  },
  programs: () => ({ kind: wholeDownload }),
};

/** The node that kind starts, of the minor version that everything is tried with; kind checks the digest. From kind 0.33.0's release notes. */
export const kindNodeImage =
  "kindest/node:v1.35.8@sha256:07b2536e30b803ed61d1677a79df6115f798ce64c80f9e22f6ed45afd09323c0";

/** helm, which renders and installs the chart. */
export const helm: Publication = {
  title: "helm 3.22.0",
  version: "3.22.0",
  source: "the release notes at github.com/helm/helm/releases/tag/v3.22.0",
  url: (platform) => `https://get.helm.sh/helm-v3.22.0-${platform}.tar.gz`,
  algorithm: "sha256",
  digests: {
    "linux-amd64": "1e4ab49e429626cf6c6958d914248b78c9730803c2751b87627e171dc800e7bb",
    "linux-arm64": "f14e804dfee240f55525b667488fe9adca349e63e00c9af634c0beb1421ac310",
    "darwin-amd64": "bd1d09f316558dda23698527859600936fed1371021ce0f2272d66b2fdcfa69c",
    "darwin-arm64": "4c9982a6cdeb458b60258df66b55398ca5b19293f6877faffe2909ad6f23dfe0",
  },
  programs: (platform) => ({ helm: `${platform}/helm` }),
};

/** kubectl, of the Kubernetes release that the local cluster runs. */
export const kubectl: Publication = {
  title: "kubectl 1.35.1",
  version: "1.35.1",
  source: "CHANGELOG/CHANGELOG-1.35.md of kubernetes/kubernetes, Client Binaries of v1.35.1",
  url: (platform) => `https://dl.k8s.io/v1.35.1/kubernetes-client-${platform}.tar.gz`,
  algorithm: "sha512",
  digests: {
    "linux-amd64":
      "51a45687e5cc04620673d92cc31308ccfc60fa4fd4e0836369b32d98841d4617343dfb899e6c9dd4c665e85bf1fe55402ae234481a6d6bd9275fa1d89cfc676e",
    "linux-arm64":
      "5f29e3c44b5f6c98278664a3ee702fc17ad8f3347353030458aa065c5e19e4ce3ce5f826cdfc91b12dfa6b427877885a22516485dc135c880d7d42a781a8df7e",
    "darwin-amd64":
      "f396d10f94feb611b685296df716ca7abef39e7ae289f4974071b2dcf9d62b4419f86458f58c7c134e018831c2b78d8cfc6df4f890a1b2ec46a2401fef45e30d",
    "darwin-arm64":
      "630c1354ef80e59bcd8a0189bc6d9d8a31393cf75734bb6c787f8441c658a0a65aab0c1149ac3220c060afead46eda6293853e944757865c8b7c8719dec2eb8c",
  },
  programs: () => ({ kubectl: "kubernetes/client/bin/kubectl" }),
};

/** What tests run against; of 1.35 its publisher has the .0 alone. */
export const controlPlane = envtest("1.35.0", {
  "linux-arm64":
    "e53e2b88398f5b9503e3f074d82a2dcb090c708b34940848607ce658138a5d4a25962e042ab683ccc026a8a6c90c0be7f658e42dde0887369d73c3b68e2fc86c",
  "linux-amd64":
    "130369c16f076e724d089189afaede960316f5f5dea6cf57be7a4fc6f09c77342893192509790e4056e116e232dff832ed863f5bd55dcb55d38f3ab834828a11",
  "darwin-arm64":
    "bb5d0bb3975956331b0aa0c039955b4c4dc6c5c288e5af369364c7d2fbeac11a025227dabb127569080b259dd29b697cc77fa77abd27ae26721ddb23e8ee0613",
  "darwin-amd64":
    "fccc583ba6d322c88a8c56f7876090a7ad63460046a4bcae414093b23ce68a75f172ca7484b7c7475b707657eca5108a8ad3fd85e1b4f70a6c99ca2f22dbd6b2",
});
