import { Client, credentials, Metadata } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import type { StoredProperties } from './class-definition.ts';

/**
 * What writing uses of Weaviate's gRPC interface (1.38); names and numbers are those of its `weaviate/v1/*.proto`. Its client has
 * these calls too, but prepares each object in a timer of its own and looks every 500 ms whether it is done.
 */
const PROTOCOL = `
  syntax = "proto3";
  message BatchObjectsRequest { repeated BatchObject objects = 1; int32 consistency_level = 2; }
  message BatchObject {
    string uuid = 1;
    Properties properties = 3;
    string collection = 4;
    string tenant = 5;
    bytes vector_bytes = 6;
  }
  message Properties {
    Struct non_ref_properties = 1;
    repeated TextArray text_array_properties = 6;
    repeated string empty_list_props = 10;
  }
  message TextArray { repeated string values = 1; string prop_name = 2; }
  message Struct { map<string, Value> fields = 1; }
  message Value { oneof kind { double number_value = 2; string string_value = 3; } }
  message BatchObjectsReply { repeated BatchError errors = 2; }
  message BatchError { int32 index = 1; string error = 2; }
  message BatchDeleteRequest {
    string collection = 1;
    Filters filters = 2;
    bool dry_run = 4;
    int32 consistency_level = 5;
    string tenant = 6;
  }
  message Filters { int32 operator = 1; string value_text = 4; FilterTarget target = 20; }
  message FilterTarget { string property = 1; }
  message BatchDeleteReply { int64 failed = 2; }
`;
const OPERATOR_EQUAL = 1;
const CONSISTENCY = { quorum: 2, all: 3 } as const;

/** An object as it is stored. */
export type StoredObject = { id: string; properties: StoredProperties; vector: Float32Array };
export type TenantName = { className: string; tenant: string };
/** How many replicas must have a write before it is acknowledged: most of them, or all. All of them get it in any case. */
export type WriteConsistency = keyof typeof CONSISTENCY;
export type ObjectError = { index: number; error: string };

/** `deadline` is a time of the system clock, in milliseconds. */
export type CallOptions = { deadline: number; signal: AbortSignal };
type WriteOptions = CallOptions & { consistency: WriteConsistency };
export type GrpcCalls = ReturnType<typeof createGrpcCalls>;

/** Creates a client that connects with the first call. Errors are not mapped. */
export function createGrpcCalls(address: { url: string; grpc: string; apiKey: string | null }) {
  const isSecure = new URL(address.url).protocol === 'https:';
  const client = new Client(address.grpc, isSecure ? credentials.createSsl() : credentials.createInsecure(), {
    // By default, a server that is back waits for up to two minutes.
    'grpc.initial_reconnect_backoff_ms': 200,
    'grpc.max_reconnect_backoff_ms': 2_000,
  });
  // Calls wait for the connection; whoever makes them finds out whether the server is away.
  const metadata = new Metadata({ waitForReady: true });
  if (address.apiKey !== null) metadata.set('authorization', `Bearer ${address.apiKey}`);
  const { root } = protobuf.parse(PROTOCOL, { keepCase: true });

  function unaryCall(method: string): (request: object, options: CallOptions) => Promise<object> {
    const [requestType, replyType] = [root.lookupType(`${method}Request`), root.lookupType(`${method}Reply`)];
    const serialize = (request: object): Buffer => Buffer.from(requestType.encode(request).finish());
    const deserialize = (bytes: Buffer): object =>
      replyType.toObject(replyType.decode(bytes), { arrays: true, longs: Number });
    return (request, { deadline, signal }) =>
      new Promise((resolve, reject) => {
        const call = client.makeUnaryRequest(
          `/weaviate.v1.Weaviate/${method}`,
          serialize,
          deserialize,
          request,
          metadata,
          { deadline },
          (error, reply) => (error ? reject(error) : resolve(reply ?? {})),
        );
        signal.addEventListener('abort', () => call.cancel(), { once: true });
      });
  }
  const batchObjects = unaryCall('BatchObjects');
  const batchDelete = unaryCall('BatchDelete');

  return {
    /** Writes objects and returns the errors of those that were rejected. */
    async writeBatch(
      { className, tenant }: TenantName,
      objects: readonly StoredObject[],
      { consistency, ...options }: WriteOptions,
    ): Promise<ObjectError[]> {
      const messages = objects.map((object) => ({ ...objectMessage(object), collection: className, tenant }));
      const request = { objects: messages, consistency_level: CONSISTENCY[consistency] };
      // The type of BatchObjectsReply, which the message was decoded with.
      const { errors } = (await batchObjects(request, options)) as { errors: ObjectError[] };
      return errors;
    },
    /** Deletes nothing, but as if it deleted this object. False when a replica that must take part did not. */
    async pretendToDelete(
      { className, tenant }: TenantName,
      id: string,
      { consistency, ...options }: WriteOptions,
    ): Promise<boolean> {
      const filters = { operator: OPERATOR_EQUAL, value_text: id, target: { property: '_id' } };
      const request = { collection: className, tenant, filters, dry_run: true };
      const level = { consistency_level: CONSISTENCY[consistency] };
      // The type of BatchDeleteReply, which the message was decoded with; the default of a number is left out.
      const { failed = 0 } = (await batchDelete({ ...request, ...level }, options)) as { failed?: number };
      return failed === 0;
    },
    close: () => client.close(),
  };
}

function objectMessage({ id, properties, vector }: StoredObject): object {
  const { facets, version, ...texts } = properties;
  const fields: Record<string, object> = { version: { number_value: version } };
  for (const [name, text] of Object.entries(texts)) fields[name] = { string_value: wellFormed(text) };
  return {
    uuid: id,
    // The bytes of a Float32Array on every processor that Node and Weaviate support: little endian.
    vector_bytes: new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength),
    properties: {
      non_ref_properties: { fields },
      text_array_properties: facets.length > 0 ? [{ prop_name: 'facets', values: facets.map(wellFormed) }] : [],
      empty_list_props: facets.length > 0 ? [] : ['facets'],
    },
  };
}

/** Protobuf allows no lone surrogates: one would make the whole batch invalid. JSON replaces them as well. */
function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}
