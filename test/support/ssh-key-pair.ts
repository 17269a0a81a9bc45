import ssh from "ssh2";

type KeyPair = ReturnType<typeof ssh.utils.generateKeyPairSync>;

/** An SSH key pair of type ed25519. */
export function sshKeyPair(passphrase?: string): KeyPair {
  return readablePair(passphrase, () =>
    passphrase === undefined
      ? ssh.utils.generateKeyPairSync("ed25519")
      : ssh.utils.generateKeyPairSync("ed25519", { passphrase, cipher: "aes256-cbc", rounds: 1 }),
  );
}

/** An SSH key pair of one of the types that git servers take. */
export function sshKeyPairOf(type: "ed25519" | "ecdsa" | "rsa"): KeyPair {
  if (type === "rsa") return readablePair(undefined, () => ssh.utils.generateKeyPairSync("rsa", { bits: 2048 }));
  if (type === "ecdsa") return readablePair(undefined, () => ssh.utils.generateKeyPairSync("ecdsa", { bits: 384 }));
  return sshKeyPair();
}

/** The library leaves out a leading zero of some keys it makes, about one in 200, which no program can read. */
function readablePair(passphrase: string | undefined, generate: () => KeyPair): KeyPair {
  for (;;) {
    const pair = generate();
    const keys = [ssh.utils.parseKey(pair.private, passphrase), ssh.utils.parseKey(pair.public)];
    if (!keys.some((key) => key instanceof Error)) return pair;
  }
}
