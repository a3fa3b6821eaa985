//! What a collector of OpenTelemetry is sent, read from the wire.
#![expect(clippy::unwrap_used, reason = "the collector is a part of tests")]

mod common;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use common::{Series, at, lane, series};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::{
    AggregationTemporality, NumberDataPoint, number_data_point,
};
use projectionist_core::{Counters, Error};
use projectionist_telemetry::{Both, Exporter, LaneMetrics, METRICS, OtlpExporter};
use prost::Message;

/// Longer than any test: values are pushed at the shutdown.
const NEVER: Duration = Duration::from_secs(3_600);

/// A collector that takes every push and hands it on.
struct Collector {
    address: String,
    pushes: Receiver<(String, ExportMetricsServiceRequest)>,
}

impl Collector {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (sender, pushes) = channel();
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                if sender.send(take_push(connection.unwrap())).is_err() {
                    return;
                }
            }
        });
        Self { address, pushes }
    }
}

/// Reads one request and answers it. Gives what was asked for, and its body.
fn take_push(connection: TcpStream) -> (String, ExportMetricsServiceRequest) {
    let mut reader = BufReader::new(&connection);
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let asked = line.trim().to_owned();
    let mut length = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).unwrap();
        let header = header.trim().to_ascii_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let answer = "HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    (&connection).write_all(answer.as_bytes()).unwrap();
    (asked, ExportMetricsServiceRequest::decode(&*body).unwrap())
}

fn text(value: Option<&AnyValue>) -> String {
    match value.and_then(|value| value.value.as_ref()) {
        Some(Value::StringValue(text)) => text.clone(),
        other => format!("{other:?}"),
    }
}

fn labels(attributes: &[KeyValue]) -> BTreeMap<String, String> {
    let label = |one: &KeyValue| (one.key.clone(), text(one.value.as_ref()));
    attributes.iter().map(label).collect()
}

/// Every value of a push by its series; of sums only such as count from the start of the process.
fn values(push: &ExportMetricsServiceRequest) -> BTreeMap<Series, f64> {
    let mut values = BTreeMap::new();
    let scopes = push
        .resource_metrics
        .iter()
        .flat_map(|of| &of.scope_metrics);
    for metric in scopes.flat_map(|scope| &scope.metrics) {
        let points: &[NumberDataPoint] = match metric.data.as_ref().unwrap() {
            Data::Sum(sum) => {
                let cumulative = AggregationTemporality::Cumulative as i32;
                assert_eq!(sum.aggregation_temporality, cumulative, "{}", metric.name);
                &sum.data_points
            }
            Data::Gauge(gauge) => &gauge.data_points,
            _ => &[],
        };
        for point in points {
            let value = match point.value.unwrap() {
                number_data_point::Value::AsDouble(value) => value,
                #[expect(
                    clippy::cast_precision_loss,
                    reason = "the numbers of a test are small"
                )]
                number_data_point::Value::AsInt(value) => value as f64,
            };
            let of = (metric.name.clone(), labels(&point.attributes));
            assert_eq!(
                values.insert(of, value),
                None,
                "{} stands twice",
                metric.name
            );
        }
    }
    values
}

#[test]
fn a_collector_is_sent_every_value_and_prometheus_reads_the_same() {
    let collector = Collector::start();
    let (otlp, recorder) = OtlpExporter::detached(&collector.address, NEVER).unwrap();
    let (prometheus, other) = Exporter::detached();
    // A lane that has gone has no lag any more, so it stays until the values are sent.
    let of_lane = metrics::with_local_recorder(&Both::of(recorder, other), || {
        let metrics = LaneMetrics::new(&lane("orders", "all"));
        let counted = Counters {
            read: 7,
            applied: 5,
            ..Counters::ZERO
        };
        metrics.committed(&counted, at(1));
        metrics.committed(&counted, at(2));
        metrics.lag(Some(3), Some(1.5));
        metrics
    });
    otlp.shutdown().unwrap();
    let scrape = prometheus.render();
    drop(of_lane);
    let (asked, push) = collector.pushes.recv().unwrap();
    assert_eq!(asked, "POST /v1/metrics HTTP/1.1");
    let resource = push.resource_metrics[0].resource.as_ref().unwrap();
    let service = labels(&resource.attributes).remove("service.name");
    assert_eq!(service.as_deref(), Some("projectionist"));
    let values = values(&push);
    let of_lane = [("key", "all"), ("projection", "orders")];
    let value = |name: &str| values.get(&series(name, &of_lane)).copied();
    for (name, expected) in [
        ("persistence_projection_events_read_total", 14.0),
        ("persistence_projection_commits_total", 2.0),
        ("persistence_projection_lag_events", 3.0),
        ("persistence_projection_lag_seconds", 1.5),
        ("persistence_projection_last_commit_timestamp_seconds", 2.0),
    ] {
        assert_eq!(value(name), Some(expected), "{name}: {values:#?}");
    }
    for (name, _) in values.keys() {
        assert!(
            METRICS.iter().any(|metric| metric.name == name),
            "{name} is no metric"
        );
    }
    assert!(
        scrape.contains("events_read_total{projection=\"orders\",key=\"all\"} 14"),
        "{scrape}"
    );
}

#[test]
fn what_is_no_address_is_refused() {
    for address in ["", "localhost:4318", "ftp://host"] {
        let refused = OtlpExporter::detached(address, NEVER).err().unwrap();
        assert!(
            matches!(refused, Error::Configuration { .. }),
            "{address}: {refused}"
        );
    }
}
