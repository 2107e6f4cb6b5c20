/**
 * EventStoreDB's service definitions and messages, as `@eventstore/db-client` ships them. The generated modules are
 * CommonJS that fills its exports at run time, so they have a default import only; this is the adapter's one door to them.
 */
import shared from "@eventstore/db-client/generated/shared_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import streamsGrpc from "@eventstore/db-client/generated/streams_grpc_pb.js";
import protobufEmpty from "google-protobuf/google/protobuf/empty_pb.js";
import protobufTimestamp from "google-protobuf/google/protobuf/timestamp_pb.js";

export { protobufEmpty, protobufTimestamp, shared, streams };

export const StreamsClient = streamsGrpc.StreamsClient;
export type StreamsClient = InstanceType<typeof StreamsClient>;

/** The definition of Read, for calls whose answers are decoded by ourselves. */
export const readMethod = streamsGrpc.StreamsService.read;
