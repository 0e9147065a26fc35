//! Tables for which a bare vector may stand, as `velocity = [0, 0, 1]` for `velocity = { constant = [0, 0, 1] }`.

use std::{fmt, marker::PhantomData};

use rubblepile_core::settings::{QuantityKind, Vector};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{
        Error, IntoDeserializer, MapAccess, SeqAccess, Visitor,
        value::{MapAccessDeserializer, SeqAccessDeserializer},
    },
};

/// A table that a bare vector may stand for.
pub trait FromVector<K>: for<'de> Deserialize<'de> {
    const EXPECTED: &'static str;
    fn from_vector(constant: Vector<K>) -> Self;
}

pub fn vector_or_table<'de, K: QuantityKind, T: FromVector<K>, D: Deserializer<'de>>(
    d: D,
) -> Result<T, D::Error> {
    struct Either<K, T>(PhantomData<(K, T)>);
    impl<'de, K: QuantityKind, T: FromVector<K>> Visitor<'de> for Either<K, T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(T::EXPECTED)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<T, A::Error> {
            Vector::deserialize(SeqAccessDeserializer::new(seq)).map(T::from_vector)
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            Vector::deserialize(text.into_deserializer()).map(T::from_vector)
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map))
        }
    }
    d.deserialize_any(Either(PhantomData))
}

pub fn vector_or_table_schema<K: QuantityKind, T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let vector = Vector::<K>::json_schema(generator);
    let table = generator.subschema_for::<T>();
    json_schema!({ "anyOf": [vector, table] })
}
