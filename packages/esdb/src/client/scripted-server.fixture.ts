import streamsGrpc from "@eventstore/db-client/generated/streams_grpc_pb.js";
import statusMessages from "@eventstore/db-client/generated/status_pb.js";
import code from "@eventstore/db-client/generated/code_pb.js";
import type {
  BatchAppendReq,
  BatchAppendResp,
  ReadReq,
  ReadResp,
} from "@eventstore/db-client/generated/streams_pb.js";
import protobufAny from "google-protobuf/google/protobuf/any_pb.js";
import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerWritableStream,
} from "@grpc/grpc-js";

import { protobufEmpty, shared, streams } from "../codec/protocol.ts";

/** Answers of the scripted server to each call. */
export interface Script {
  readonly read: (call: ServerWritableStream<ReadReq, ReadResp>) => void;
  readonly append?: (
    request: BatchAppendReq,
    call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>,
  ) => void;
}

/** A server that answers as scripted, for answers that a real server gives rarely. */
export interface ScriptedServer {
  readonly connectionString: string;
  stop(): void;
}

export async function startScriptedServer({ append, read }: Script): Promise<ScriptedServer> {
  const server = new Server();
  const unimplemented = (): void => undefined;
  server.addService(streamsGrpc.StreamsService, {
    read,
    batchAppend: (call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>) => {
      call.on("data", (request: BatchAppendReq) => append?.(request, call));
      call.on("end", () => call.end());
      call.on("error", () => undefined);
    },
    append: unimplemented,
    delete: unimplemented,
    tombstone: unimplemented,
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  return {
    connectionString: `esdb://127.0.0.1:${String(port)}?tls=false`,
    stop: () => {
      server.forceShutdown();
    },
  };
}

/** Fails a call as gRPC fails it; EventStoreDB names its exception in a trailer. */
export function failCall(
  call: ServerWritableStream<ReadReq, ReadResp>,
  status: number,
  message: string,
  exception?: string,
): void {
  const metadata = new Metadata();
  if (exception !== undefined) metadata.set("exception", exception);
  call.emit("error", Object.assign(new Error(message), { code: status, details: message, metadata }));
}

/** Answers that the stream is missing or soft-deleted. */
export function missingStream(): ReadResp {
  return new streams.ReadResp().setStreamNotFound(new streams.ReadResp.StreamNotFound());
}

/** Returns an event of `account-1` at a position; its revision is a tenth of the position. */
export function eventAt(position: number, stream = "account-1", type = "Happened.v1"): ReadResp {
  const event = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(new shared.UUID().setString(`00000000-0000-4000-8000-${String(position).padStart(12, "0")}`))
    .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(stream)))
    .setStreamRevision(String(Math.trunc(position / 10)))
    .setCommitPosition(String(position))
    .setPreparePosition(String(position))
    .setData(Buffer.from("{}"))
    .setCustomMetadata(Buffer.from("{}"));
  event.getMetadataMap().set("type", type).set("created", "17640000000000000");
  return new streams.ReadResp().setEvent(new streams.ReadResp.ReadEvent().setEvent(event));
}

export function caughtUp(): ReadResp {
  return new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp());
}

export function checkpointAt(position: number, prepare = 0): ReadResp {
  const checkpoint = new streams.ReadResp.Checkpoint()
    .setCommitPosition(String(position))
    .setPreparePosition(String(prepare));
  return new streams.ReadResp().setCheckpoint(checkpoint);
}

/** An append's success at a revision. */
export function stored(request: BatchAppendReq, revision: number): BatchAppendResp {
  const position = new shared.AllStreamPosition().setCommitPosition("70").setPreparePosition("70");
  const success = new streams.BatchAppendResp.Success()
    .setCurrentRevision(String(revision))
    .setPosition(position);
  return new streams.BatchAppendResp().setCorrelationId(request.getCorrelationId()).setSuccess(success);
}

/** The code of a request that is wrong. */
export const invalidArgument = code.Code.INVALID_ARGUMENT;

/** Creates a refusal inside the append stream. Clients read its `type`, such as `event_store.client.Timeout`. */
export function refused(
  request: BatchAppendReq,
  message: string,
  type = "google.protobuf.Empty",
  status = code.Code.UNKNOWN,
): BatchAppendResp {
  const details = new protobufAny.Any();
  details.pack(new protobufEmpty.Empty().serializeBinary(), type);
  const error = new statusMessages.Status().setCode(status).setMessage(message).setDetails(details);
  return new streams.BatchAppendResp().setCorrelationId(request.getCorrelationId()).setError(error);
}
