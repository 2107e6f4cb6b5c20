export * from "./gen/hosting/common/v1/rejection_pb.ts";
export * as account from "./gen/hosting/account/v1/account_pb.ts";
export * as admin from "./gen/hosting/admin/v1/admin_pb.ts";
export * as domain from "./gen/hosting/domain/v1/domain_pb.ts";
export * as health from "./gen/grpc/health/v1/health_pb.ts";
export * as reflection from "./gen/grpc/reflection/v1/reflection_pb.ts";
export * as reflectionAlpha from "./gen/grpc/reflection/v1alpha/reflection_pb.ts";
