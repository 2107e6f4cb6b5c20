import { createRegistry, toBinary, type DescFile, type DescService, type Registry } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";

/** The files behind a set of services, with everything they import, found by name and by what they declare. */
export class DescriptorIndex {
  readonly serviceNames: readonly string[];
  readonly #files = new Map<string, DescFile>();
  readonly #registry: Registry;

  constructor(services: readonly DescService[]) {
    this.serviceNames = services.map(({ typeName }) => typeName).sort();
    for (const { file } of services) collect(file, this.#files);
    this.#registry = createRegistry(...this.#files.values());
  }

  /** The file of this name, which ends in `.proto`. */
  file(name: string): DescFile | undefined {
    return this.#files.get(name);
  }

  /** The file that declares a service, message, enum or extension, or the method or field right inside of one. */
  fileOfSymbol(symbol: string): DescFile | undefined {
    const owner = symbol.slice(0, Math.max(0, symbol.lastIndexOf(".")));
    return (this.#registry.get(symbol) ?? this.#memberOwner(owner, symbol.slice(owner.length + 1)))?.file;
  }

  /** The file that declares the extension with this number of a message. */
  fileOfExtension(messageName: string, number: number): DescFile | undefined {
    const message = this.#registry.getMessage(messageName);
    return message && this.#registry.getExtensionFor(message, number)?.file;
  }

  /** The numbers of a message's known extensions; undefined when there is no such message. */
  extensionNumbers(messageName: string): readonly number[] | undefined {
    const message = this.#registry.getMessage(messageName);
    if (message === undefined) return undefined;
    return [...this.#registry].flatMap((desc) =>
      desc.kind === "extension" && desc.extendee.typeName === messageName ? [desc.number] : [],
    );
  }

  #memberOwner(owner: string, member: string): ReturnType<Registry["get"]> {
    const desc = this.#registry.get(owner);
    if (desc?.kind === "service") return desc.methods.some(({ name }) => name === member) ? desc : undefined;
    if (desc?.kind === "message") return desc.fields.some(({ name }) => name === member) ? desc : undefined;
    return undefined;
  }
}

/** The file and all it imports, itself first, each a serialised `google.protobuf.FileDescriptorProto`. */
export function serialisedWithImports(file: DescFile): Uint8Array[] {
  const files = new Map<string, DescFile>();
  collect(file, files);
  return [...files.values()].map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto));
}

function collect(file: DescFile, into: Map<string, DescFile>): void {
  if (into.has(file.proto.name)) return;
  into.set(file.proto.name, file);
  for (const dependency of file.dependencies) collect(dependency, into);
}
