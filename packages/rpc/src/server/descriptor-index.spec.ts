import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { account, health, reflection } from "@hostledger/protocol";
import { describe, expect, it } from "vitest";

import { DescriptorIndex, serialisedWithImports } from "./reflection.service.ts";

const index = new DescriptorIndex([health.Health, account.AccountService, reflection.ServerReflection]);

describe("the descriptor index", () => {
  it("names the services in order", () => {
    expect(index.serviceNames).toEqual([
      "grpc.health.v1.Health",
      "grpc.reflection.v1.ServerReflection",
      "hosting.account.v1.AccountService",
    ]);
  });

  it.each([
    ["hosting.account.v1.AccountService", "hosting/account/v1/account.proto"],
    ["hosting.account.v1.AccountService.GetAccount", "hosting/account/v1/account.proto"],
    ["hosting.account.v1.Invoice", "hosting/account/v1/account.proto"],
    ["hosting.account.v1.Invoice.number", "hosting/account/v1/account.proto"],
    ["grpc.health.v1.HealthCheckResponse.ServingStatus", "grpc/health/v1/health.proto"],
    ["hosting.account.v1.Nothing", undefined],
    ["hosting.account.v1.AccountService.Nothing", undefined],
    ["hosting.account.v1", undefined],
    ["", undefined],
    [".", undefined],
  ])("finds the file of %s", (symbol, name) => {
    expect(index.fileOfSymbol(symbol)?.proto.name).toBe(name);
  });

  it("finds files by name", () => {
    expect(index.file("grpc/health/v1/health.proto")).toBe(health.file_grpc_health_v1_health);
    expect(index.file("grpc/health/v1/health")).toBeUndefined();
  });

  it("contains messages without extensions", () => {
    expect(index.extensionNumbers("hosting.account.v1.Invoice")).toEqual([]);
    expect(index.extensionNumbers("hosting.account.v1.Nothing")).toBeUndefined();
    expect(index.fileOfExtension("hosting.account.v1.Invoice", 1)).toBeUndefined();
  });

  it("serialises whole descriptors, with their imports", () => {
    const [bytes, ...imports] = serialisedWithImports(account.file_hosting_account_v1_account);
    const proto = fromBinary(FileDescriptorProtoSchema, bytes ?? new Uint8Array());
    expect(proto.name).toBe("hosting/account/v1/account.proto");
    expect(proto.service.map(({ name }) => name)).toEqual([
      "AccountService",
      "IdempotencyService",
      "DocumentService",
      "PaymentService",
      "PaymentNoticeService",
    ]);
    expect(imports.map((imported) => fromBinary(FileDescriptorProtoSchema, imported).name)).toEqual([
      "hosting/common/v1/page.proto",
    ]);
  });
});
