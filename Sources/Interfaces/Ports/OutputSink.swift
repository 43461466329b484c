package import Base
package import LineProtocol

/// An output (MQTT broker, web server or file) to which the gateway sends the location data of one app. All functions
/// return at once, without a wait for the network or the disk.
package protocol OutputSink: Sendable {
  /// The payload format of the output, for example JSON.
  var form: any PublicationForm { get }

  /// Whether the output can receive a fix now.
  var isConnected: Bool { get }

  /// Publishes the message that the device entered or left a region (a circle on the ground).
  ///
  /// - Parameter until: The instant after which the message must not be sent, because the indicator (the LED) then no
  ///   longer shows the use of the location.
  func report(_ crossing: RegionCrossing, until: MonotonicInstant)

  /// Publishes a fix. The caller must not publish another fix before the output has reported the result.
  ///
  /// - Parameter until: The instant after which the fix must not be sent, because the indicator (the LED) then no
  ///   longer shows the use of the location.
  func publish(_ publication: Publication, until: MonotonicInstant)

  /// Cancels the transmission of the given kinds of fixes, as far as the output has not sent them.
  func recall(_ kinds: FixKinds)
}

extension OutputSink {
  /// Does nothing. Only MQTT brokers receive messages about regions, and have their own implementation.
  package func report(_ crossing: RegionCrossing, until: MonotonicInstant) {}
}

/// The event that the device entered or left a region (a circle on the ground) of an app.
package struct RegionCrossing: Hashable, Sendable {
  package var region: String
  /// The text that the app registered with the region.
  package var text: String
  /// The radius of the region in metres.
  package var radius: Double
  package var isEntry: Bool
  /// The time of the publication.
  package var time: UTCTime
  /// The time at which the app registered the region; nil if the time is unknown.
  package var registered: UTCTime?

  package init(
    region: String, text: String, radius: Double, isEntry: Bool, time: UTCTime, registered: UTCTime? = nil
  ) {
    self.region = region
    self.text = text
    self.radius = radius
    self.isEntry = isEntry
    self.time = time
    self.registered = registered
  }
}

/// The messages with which the gateway sends one fix to an output.
package struct Publication: Hashable, Sendable {
  package struct Message: Hashable, Sendable {
    /// The MQTT topic of the message. For other outputs, the name of a part of the fix.
    package var topic: String
    package var payload: [UInt8]

    package init(topic: String, payload: [UInt8]) {
      self.topic = topic
      self.payload = payload
    }
  }

  /// The identifier of the fix in the database of fixes that wait for outputs.
  package var number: Int64
  /// The messages of the fix, at least one.
  package var messages: [Message]
  /// How long an MQTT broker may keep the fix for a subscriber that is not connected.
  package var life: Duration

  package init(number: Int64, messages: [Message], life: Duration) {
    self.number = number
    self.messages = messages
    self.life = life
  }
}

/// The payload format of an output, for example JSON, with the name and the limits of the output. An implementation
/// creates the messages of a fix, and does not send the messages.
package protocol PublicationForm: Sendable {
  /// The name of the output, which begins with its address. The gateway stores this name with each fix, so the name
  /// must not change at a restart of the daemon.
  var name: String { get }
  /// The address of the output as a URL without spaces, for the status and the metrics of the gateway.
  var address: String { get }
  /// The time in which the gateway may publish a fix. The time starts with the press of the button, or with a request
  /// that needs no press.
  var expires: Duration { get }
  /// The maximum count of fixes that wait for the output. At this count, the gateway refuses further requests of the
  /// app.
  var mostWaiting: Int { get }
  /// Whether the format can carry positions, but no names of places.
  var hasPositionsOnly: Bool { get }

  /// Returns the messages of a fix. Throws an error if the fix cannot be encrypted for the app.
  func messages(_ fix: PublishedFix) throws -> [Publication.Message]
}

extension PublicationForm {
  package var hasPositionsOnly: Bool { false }
}

/// A fix to send to an output, before the conversion to messages.
package struct PublishedFix: Hashable, Sendable {
  package var report: FixReport
  /// The id from the request, or a random id for a request without an id. Each repetition of the fix has the same id.
  package var id: String
  /// Whether the user permitted the fix by a press of the button. If false, the app has a permanent authorization.
  package var isByPress: Bool
  /// The time at which the gateway gave the fix, by the clock of this machine.
  package var disclosed: UTCTime
  /// Whether the clock of this machine was set at that time.
  package var isClockSet: Bool

  package init(
    _ report: FixReport, id: String, isByPress: Bool, disclosed: UTCTime, isClockSet: Bool = true
  ) {
    self.report = report
    self.id = id
    self.isByPress = isByPress
    self.disclosed = disclosed
    self.isClockSet = isClockSet
  }

  /// The time of the position; for a receiver without dates, the time at which the gateway gave the fix. Nil if the
  /// receiver sends no dates and the clock of this machine is not set.
  package var time: UTCTime? { report.time ?? (isClockSet ? disclosed : nil) }

  /// The fix as a JSON object of the line protocol, with its id.
  package var json: String {
    var buffer = TextBuffer(capacity: 512)
    buffer.beginObject()
    buffer.add("id", id)
    report.writeMembers(to: &buffer)
    buffer.endObject()
    return buffer.text
  }
}
