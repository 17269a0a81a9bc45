import { writeInstallManifest } from "./install.ts";

await writeInstallManifest();
