import type { Publication } from "./publication.ts";

const inEnvtest = ["etcd", "kube-apiserver", "kubectl"] as const;

/** etcd, kube-apiserver and kubectl of one release, for tests. */
export function envtest(version: string, digests: Publication["digests"]): Publication {
  return {
    title: `envtest's control plane ${version}`,
    version,
    source: "envtest-releases.yaml of kubernetes-sigs/controller-tools",
    url: (platform) =>
      `https://github.com/kubernetes-sigs/controller-tools/releases/download/envtest-v${version}/envtest-v${version}-${platform}.tar.gz`,
    algorithm: "sha512",
    digests,
    programs: () => Object.fromEntries(inEnvtest.map((name) => [name, `controller-tools/envtest/${name}`])),
  };
}

/** The oldest that tests run against. */
export const oldestControlPlane = envtest("1.34.1", {
  "linux-arm64":
    "bf13d2456183e66d084e28e1c9eed6a408fb77a06d8d1fd0461a7d9bc0c90b63d29ea67870b28f80d1f992acb026007d6f43987753c859c81d6a78bc1ca2c903",
  "linux-amd64":
    "c5e7c237ae18a8c65d0df1214b864ecd19aa9ff4f1383dbd477c202546d778c0f74efe15750ec38f57d8de26ba17cd62f404446cdd3c975399a5d4589de35cdd",
  "darwin-arm64":
    "43d7c10b74100d20044df7c73be03e26f8243a9cb7c1d3035e581ee7bb0c7ffcaf759b9e182186b5bb2f47d1608835414ca443181a02d9ecb6c9cf04b43e3809",
  "darwin-amd64":
    "d9e0464dc1708c36ab41147b5e364c8b8e201eafc14c299dcbe58ebeaa82c651b8e834647167a951ded8c6d08c616aadbae1673a54743f9c8fa15a278c78c0c0",
});

/** The newest that tests run against. */
export const newestControlPlane = envtest("1.36.2", {
  "linux-arm64":
    "2d72ee985a8e262a3c57dc9f7f0fd891f6a8c7bf7ebaa2db6dc6d8eac8ae28181afe51c1f368b67756cdb40b10de9b205609e1726e5f27f7c6d824dd9c6649ac",
  "linux-amd64":
    "ea743186c8a799f5cf8faf16969f86189d003cb7d130e0ac4b58789f1e5748dcf30ebe91c837a10d5ac415383da3e10b9e64d65785c938c23e739781cfb76f08",
  "darwin-arm64":
    "9278f9e5af556b2f1f2d139769c1f0d717c7b4426917fdebdba898bcb725a916e4910d6160886194ff9be9589ea7c5c32c2b8ae0754703874b7c8ba8ddfc41ce",
  "darwin-amd64":
    "b4fe9f973cd1992e3880f8b230ed32c0c243b83371591e3e3315f4404df2cdbef8ee94eeb9bb245b7e5feb987d5c4a76c43e0877654ab73f00d7bbc2b9984514",
});
