declare module "ssh2/lib/protocol/keyParser.js" {
  import type { ParsedKey } from "ssh2";
  const keyParser: { parseKey: (text: string) => ParsedKey | Error };
  export default keyParser;
}
