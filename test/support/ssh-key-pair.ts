import ssh from "ssh2";

type KeyPair = ReturnType<typeof ssh.utils.generateKeyPairSync>;

/** An SSH key pair. The library leaves out a leading zero of some it makes, about one in 400, which no program can read. */
export function sshKeyPair(passphrase?: string): KeyPair {
  for (;;) {
    const pair =
      passphrase === undefined
        ? ssh.utils.generateKeyPairSync("ed25519")
        : ssh.utils.generateKeyPairSync("ed25519", { passphrase, cipher: "aes256-cbc", rounds: 1 });
    if (!(ssh.utils.parseKey(pair.private, passphrase) instanceof Error)) return pair;
  }
}
