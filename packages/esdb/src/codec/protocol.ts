/**
 * EventStoreDB's service definitions and messages from `@eventstore/db-client`. The generated CommonJS modules fill
 * their exports at run time and only have a default import; all imports go through this file.
 */
import code from "@eventstore/db-client/generated/code_pb.js";
import gossip from "@eventstore/db-client/generated/gossip_pb.js";
import gossipGrpc from "@eventstore/db-client/generated/gossip_grpc_pb.js";
import persistent from "@eventstore/db-client/generated/persistent_pb.js";
import persistentGrpc from "@eventstore/db-client/generated/persistent_grpc_pb.js";
import features from "@eventstore/db-client/generated/serverfeatures_pb.js";
import featuresGrpc from "@eventstore/db-client/generated/serverfeatures_grpc_pb.js";
import shared from "@eventstore/db-client/generated/shared_pb.js";
import status from "@eventstore/db-client/generated/status_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import streamsGrpc from "@eventstore/db-client/generated/streams_grpc_pb.js";
import protobufAny from "google-protobuf/google/protobuf/any_pb.js";
import protobufEmpty from "google-protobuf/google/protobuf/empty_pb.js";
import protobufTimestamp from "google-protobuf/google/protobuf/timestamp_pb.js";

export {
  code,
  features,
  gossip,
  persistent,
  protobufAny,
  protobufEmpty,
  protobufTimestamp,
  shared,
  status,
  streams,
};

/**
 * Header with which a client lets one of our nodes collect live events of `$all` for some milliseconds before it
 * sends them, `longestGatherMs` at most. EventStoreDB ignores the header.
 */
export const gatherHeader = "hostledger-gather-ms";
export const longestGatherMs = 1_000;

export const StreamsService = streamsGrpc.StreamsService;
export const PersistentSubscriptionsService = persistentGrpc.PersistentSubscriptionsService;
export const ServerFeaturesService = featuresGrpc.ServerFeaturesService;
export const GossipService = gossipGrpc.GossipService;

export const StreamsClient = streamsGrpc.StreamsClient;
export type StreamsClient = InstanceType<typeof StreamsClient>;

/** Definition of Read for calls whose answers we decode ourselves. */
export const readMethod = streamsGrpc.StreamsService.read;
