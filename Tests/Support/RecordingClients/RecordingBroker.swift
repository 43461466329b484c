package import Base
import LineProtocol
package import Ports

/// A broker that records all calls, and sends no acknowledgement.
package final class RecordingBroker: OutputSink {
  package enum Call: Hashable, Sendable {
    case publish(Publication, until: MonotonicInstant)
    case report(RegionCrossing, until: MonotonicInstant)
  }

  package let form: any PublicationForm
  private let record: @Sendable (Call) -> Void

  package init(_ form: any PublicationForm = PlainForm(), _ record: @escaping @Sendable (Call) -> Void = { _ in }) {
    self.form = form
    self.record = record
  }

  package var isConnected: Bool { true }

  package func report(_ crossing: RegionCrossing, until: MonotonicInstant) { record(.report(crossing, until: until)) }

  package func publish(_ publication: Publication, until: MonotonicInstant) {
    record(.publish(publication, until: until))
  }

  package func recall(_ kinds: FixKinds) {}
}

/// A form whose one message is the JSON of the fix. Its topic says if no press permitted the fix.
package struct PlainForm: PublicationForm {
  package var name: String
  package var address: String { "broker.test" }
  package let expires = Duration.seconds(3600)
  package let mostWaiting = 3

  package init(_ name: String = "mqtt://broker.test") { self.name = name }

  package func messages(_ fix: PublishedFix) -> [Publication.Message] {
    [
      Publication.Message(
        topic: "fix/\(fix.isByPress ? "" : "standing/")\(fix.id)", payload: Array(fix.report.json.utf8))
    ]
  }
}
