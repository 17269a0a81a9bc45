import ssh from "ssh2";

/** An SSH key pair. The library leaves out a leading zero of some it makes, about one in 400, which nobody can read. */
export function sshKeyPair(passphrase?: string): ssh.KeyPairReturn {
  const options = passphrase === undefined ? {} : { passphrase, cipher: "aes256-cbc", rounds: 1 };
  for (;;) {
    const pair = ssh.utils.generateKeyPairSync("ed25519", options);
    if (!(ssh.utils.parseKey(pair.private, passphrase) instanceof Error)) return pair;
  }
}
