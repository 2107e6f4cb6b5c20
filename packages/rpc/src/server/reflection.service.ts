import { createRegistry, type DescFile, type DescService, type Registry, toBinary } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { reflection, reflectionAlpha } from "@hostledger/protocol";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";

import { implement, type ServiceImplementation } from "../transport/implement.ts";

/** A question as both versions of the contract put it. */
type Question =
  | {
      readonly case: "fileByFilename" | "fileContainingSymbol" | "allExtensionNumbersOfType" | "listServices";
      readonly value: string;
    }
  | {
      readonly case: "fileContainingExtension";
      readonly value: { readonly containingType: string; readonly extensionNumber: number };
    }
  | { readonly case: undefined };

type Answer =
  | { case: "fileDescriptorResponse"; value: { fileDescriptorProto: Uint8Array[] } }
  | { case: "allExtensionNumbersResponse"; value: { baseTypeName: string; extensionNumber: number[] } }
  | { case: "listServicesResponse"; value: { service: { name: string }[] } }
  | { case: "errorResponse"; value: { errorCode: number; errorMessage: string } };

interface Asked {
  readonly host: string;
  readonly messageRequest: Question;
}

/** `grpc.reflection.v1` and, for older tools, `v1alpha`, over the given services and themselves. */
export function reflectionServices(services: readonly DescService[]): ServiceImplementation[] {
  const index = new DescriptorIndex([
    ...services,
    reflection.ServerReflection,
    reflectionAlpha.ServerReflection,
  ]);
  async function* serverReflectionInfo<Request extends Asked>(
    requests: AsyncIterable<Request>,
  ): AsyncGenerator<{ validHost: string; originalRequest: Request; messageResponse: Answer }> {
    for await (const request of requests) {
      const messageResponse = answer(index, request.messageRequest);
      yield { validHost: request.host, originalRequest: request, messageResponse };
    }
  }
  return [
    implement(reflection.ServerReflection, { serverReflectionInfo }),
    implement(reflectionAlpha.ServerReflection, { serverReflectionInfo }),
  ];
}

function answer(index: DescriptorIndex, question: Question): Answer {
  switch (question.case) {
    case "listServices":
      return {
        case: "listServicesResponse",
        value: { service: index.serviceNames.map((name) => ({ name })) },
      };
    case "fileByFilename":
      return fileAnswer(index.file(question.value), question.value);
    case "fileContainingSymbol":
      return fileAnswer(index.fileOfSymbol(question.value), question.value);
    case "fileContainingExtension": {
      const { containingType, extensionNumber } = question.value;
      const name = `extension ${String(extensionNumber)} of ${containingType}`;
      return fileAnswer(index.fileOfExtension(containingType, extensionNumber), name);
    }
    case "allExtensionNumbersOfType": {
      const numbers = index.extensionNumbers(question.value);
      if (numbers === undefined) return refusal(Code.NotFound, `unknown message ${question.value}`);
      const value = { baseTypeName: question.value, extensionNumber: [...numbers] };
      return { case: "allExtensionNumbersResponse", value };
    }
    case undefined:
      return refusal(Code.InvalidArgument, "the question is empty");
  }
}

function fileAnswer(file: DescFile | undefined, name: string): Answer {
  if (file === undefined) return refusal(Code.NotFound, `unknown: ${name}`);
  return { case: "fileDescriptorResponse", value: { fileDescriptorProto: serialisedWithImports(file) } };
}

/** Connect's codes have gRPC's numbers. */
function refusal(errorCode: Code, errorMessage: string): Answer {
  return { case: "errorResponse", value: { errorCode, errorMessage } };
}

/** The descriptor files of a set of services with all imports, found by name and by what they declare. */
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
