/** What a registry says of an image that is there for several platforms. */
interface Index {
  manifests?: { digest: string; platform?: { os: string; architecture: string } }[];
}

/** What a registry says of one of them. */
interface Manifest {
  layers?: { size: number }[];
}

const mebibyte = 1_048_576;

/**
 * A line each platform with the size of its layers, as they are downloaded. `inspect` gives what the registry has under a reference,
 * as JSON. Throws naming the platform of which the image has nothing.
 */
export async function imageSizes(
  image: string,
  platforms: readonly string[],
  inspect: (reference: string) => Promise<string>,
): Promise<string> {
  const { manifests = [] } = JSON.parse(await inspect(image)) as Index;
  const repository = image.replace(/@.*$/, "");
  let text = `\`${image}\`\n`;
  for (const wanted of platforms) {
    const found = manifests.find(({ platform }) => `${platform?.os}/${platform?.architecture}` === wanted);
    if (found === undefined) throw new Error(`${image} has no image for ${wanted}`);
    const { layers = [] } = JSON.parse(await inspect(`${repository}@${found.digest}`)) as Manifest;
    const bytes = layers.reduce((sum, { size }) => sum + size, 0);
    if (bytes === 0) throw new Error(`${repository}@${found.digest}, which is for ${wanted}, has no layers`);
    text += `- ${wanted}: ${Math.floor(bytes / mebibyte)} MiB compressed\n`;
  }
  return text;
}
