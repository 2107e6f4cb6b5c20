import type { DescFile, DescService } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { reflection, reflectionAlpha } from "@hostledger/protocol";

import { implement, type ServiceImplementation } from "../transport/implement.ts";
import { DescriptorIndex, serialisedWithImports } from "./descriptor-index.ts";

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
