import LineProtocol
import Synchronization

/// A distributor of notifications of one kind. Each reader (a loop over the sequence) receives every notification.
final class Broadcaster<Element: Sendable & Equatable>: Sendable {
  enum Kind: Sendable {
    /// A state of the gateway, for example the state of its receiver. A new reader first receives the present value of
    /// the state.
    case state(Topic)
    /// The state of the client's own connection, about which the gateway sends no notifications.
    case ownState
    /// The events that match a topic filter, with the id of the subscription. A new reader receives only later events.
    case events(_ filter: String, sid: String)
  }

  private struct State {
    var latest: Element?
    var readers: [Mailbox<Element>] = []
    var isSubscribed = false
  }

  let kind: Kind
  private let state = Mutex(State())

  init(_ kind: Kind) { self.kind = kind }

  /// The topic filter and the id of the subscription at the gateway; nil for the state of the connection, which only
  /// the client knows.
  var subscription: (filter: String, sid: String)? {
    switch kind {
    case .state(let topic): (topic.rawValue, topic.rawValue)
    case .events(let filter, let sid): (filter, sid)
    case .ownState: nil
    }
  }

  var isSubscribed: Bool {
    get { state.withLock { $0.isSubscribed } }
    set { state.withLock { $0.isSubscribed = newValue } }
  }

  /// The maximum count of notifications in the buffer of one reader.
  static var capacity: Int { 64 }

  func newReader() -> Mailbox<Element> {
    let mailbox = Mailbox<Element>(capacity: Self.capacity)
    state.withLock { state in
      if let latest = state.latest { mailbox.append(latest) }
      state.readers.append(mailbox)
    }
    return mailbox
  }

  func remove(_ reader: Mailbox<Element>) { state.withLock { $0.readers.removeAll { $0 === reader } } }

  /// Sends an element to all readers. If a state equals the previous state, the function sends nothing.
  func send(_ element: Element) {
    state.withLock { state in
      if case .events = kind {
        for reader in state.readers { reader.append(element) }
      } else if state.latest != element {
        state.latest = element
        for reader in state.readers { reader.append(element) }
      }
    }
  }

  func finish(_ error: ClientError?) {
    for reader in state.withLock({ $0.readers }) { reader.finish(error) }
  }
}

extension OneFixClient {
  /// The authorization of the app as a sequence: first the present value, then each change.
  public nonisolated var authorization: Notifications<Authorization> { notifications(of: authorizations) }

  /// The signal of the gateway's indicator (status LED) for this app, as a sequence: first the present value, then each
  /// change.
  public nonisolated var indicator: Notifications<Indicator> { notifications(of: indications) }

  /// The state of the gateway's GNSS receiver (absent or present) as a sequence: first the present value, then each
  /// change.
  public nonisolated var receiver: Notifications<Receiver> { notifications(of: receivers) }

  /// The state of the connection to the gateway as a sequence: first the present value, then each change. The sequence
  /// throws an error when the client makes no further attempt to connect.
  public nonisolated var connection: Notifications<Connection> { notifications(of: connections) }

  /// The presses of the gateway's button that concern this app, as a sequence. A loop receives only presses after its
  /// start.
  ///
  /// A notification contains no position: ``requestOnce(_:armed:pressed:)`` returns the position.
  public nonisolated var presses: Notifications<PressNotification> { notifications(of: pressNotifications) }

  /// A sequence of events: the device entered or left one of the app's regions (circles on the ground). A loop receives
  /// only events after its start.
  ///
  /// Only an app with the status `always` and full accuracy receives these events. See ``addRegion(_:)``.
  public nonisolated var regionEvents: Notifications<RegionEvent> { notifications(of: regionNotifications) }

  private nonisolated func notifications<Element>(of source: Broadcaster<Element>) -> Notifications<Element> {
    Notifications { () async throws(ClientError) -> Mailbox<Element> in
      try await self.listen(to: source)
    } close: {
      source.remove($0)
    }
  }

  private func listen<Element>(to source: Broadcaster<Element>) async throws(ClientError) -> Mailbox<Element> {
    if case .over(let error) = connectionState { throw error }
    let reader = source.newReader()
    do {
      try await subscribe(to: source)
    } catch {
      source.remove(reader)
      throw error
    }
    return reader
  }

  func subscribe<Element>(to source: Broadcaster<Element>) async throws(ClientError) {
    guard !source.isSubscribed, let (filter, sid) = source.subscription else { return }
    source.isSubscribed = true
    do {
      // This command must not be cancelled, because several readers may wait for its reply.
      _ = try await send(.subscribe(try Self.filter(filter), sid: sid, qos: nil), isCancellable: false)
    } catch {
      // The connection is lost. The client subscribes again when it has connected, because other readers may wait.
      if error == .cancelled, case .away = connectionState { throw error }
      source.isSubscribed = false
      throw error
    }
  }

  func subscribe<Element>(_ source: Broadcaster<Element>, on link: Link) async throws(LinkError) {
    guard let (filter, sid) = source.subscription else { return }
    source.isSubscribed = true
    let topics: TopicFilter
    do { topics = try Self.filter(filter) } catch { return }
    _ = try await link.send(.subscribe(topics, sid: sid, qos: nil))
  }

  private static func filter(_ text: String) throws(ClientError) -> TopicFilter {
    do { return try TopicFilter(text) } catch { throw ClientError(error) }
  }
}
