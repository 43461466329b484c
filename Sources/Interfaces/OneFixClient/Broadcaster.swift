import LineProtocol
import Synchronization

/// A broadcaster that sends one kind of notification to all its readers.
final class Broadcaster<Element: Sendable & Equatable>: Sendable {
  enum Kind: Sendable {
    /// A state of the gateway, with its topic. A new reader receives the present state first.
    case state(Topic)
    /// A state of the client itself. This state has no topic, so the client does not subscribe to it.
    case ownState
    /// Events, with their topic filter. A new reader receives only events that happen after its subscription.
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

  /// The topic filter and the id of the subscription; nil for a state of the client itself.
  var subscription: (filter: String, sid: String)? {
    switch kind {
    case .state(let topic): (topic.rawValue, topic.rawValue)
    case .events(let filter, let sid): (filter, sid)
    case .ownState: nil
    }
  }

  /// Whether the client has subscribed to the topic.
  var isSubscribed: Bool {
    get { state.withLock { $0.isSubscribed } }
    set { state.withLock { $0.isSubscribed = newValue } }
  }

  /// The maximum number of elements that wait for one reader.
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

  /// Sends an element to all readers. A state is sent only if it has changed.
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
  /// The authorization of the app: first the present value, then each change.
  ///
  /// Each loop over this sequence has a buffer of 64 values.
  public nonisolated var authorization: Notifications<Authorization> { notifications(of: authorizations) }

  /// The state that the indicator shows because of this app: first the present value, then each change.
  ///
  /// Each loop over this sequence has a buffer of 64 values.
  public nonisolated var indicator: Notifications<Indicator> { notifications(of: indications) }

  /// The state of the receiver. The sequence begins with the current state, and then contains each change.
  ///
  /// Each loop over this sequence has a buffer of 64 values.
  public nonisolated var receiver: Notifications<Receiver> { notifications(of: receivers) }

  /// The state of the connection: first the present value, then each change. The sequence throws an error when the
  /// client gives up and makes no further attempt to connect.
  ///
  /// Each loop over this sequence has a buffer of 64 values.
  public nonisolated var connection: Notifications<Connection> { notifications(of: connections) }

  /// The presses of the button that happen after the subscription. The app receives the presses that concern this app,
  /// and the presses that concern no app.
  ///
  /// A press contains no position: ``requestOnce(_:armed:pressed:)`` returns the position.
  ///
  /// Each loop over this sequence has a buffer of 64 values.
  public nonisolated var presses: Notifications<PressNotification> { notifications(of: pressNotifications) }

  /// The events that the device entered or left one of the app's regions. The sequence begins with the first event
  /// after the subscription. Only an app with the status `always` and full accuracy receives these events.
  ///
  /// Each loop over this sequence has a buffer of 64 values. See ``addRegion(_:)``.
  public nonisolated var regionEvents: Notifications<RegionEvent> { notifications(of: regionNotifications) }

  private nonisolated func notifications<Element>(of source: Broadcaster<Element>) -> Notifications<Element> {
    Notifications { () async throws(ClientError) -> Mailbox<Element> in
      try await self.listen(to: source)
    } close: {
      source.remove($0)
    }
  }

  private func listen<Element>(to source: Broadcaster<Element>) async throws(ClientError) -> Mailbox<Element> {
    if case .over(let error) = standing { throw error }
    let reader = source.newReader()
    do {
      try await subscribe(to: source)
    } catch {
      source.remove(reader)
      throw error
    }
    return reader
  }

  /// Subscribes to the topic of a broadcaster, unless the client has already subscribed.
  func subscribe<Element>(to source: Broadcaster<Element>) async throws(ClientError) {
    guard !source.isSubscribed, let (filter, sid) = source.subscription else { return }
    source.isSubscribed = true
    do {
      // Several readers may wait for the reply to this command. If the task of one reader is cancelled, the other
      // readers still need the reply. The command is therefore not cancelled.
      _ = try await send(.subscribe(try Self.filter(filter), sid: sid, qos: nil), isCancellable: false)
    } catch {
      // The connection is lost. Other readers may wait for values of this broadcaster. The broadcaster therefore stays
      // marked as subscribed. When the client has connected again, it subscribes to the topic of the broadcaster.
      if error == .cancelled, case .away = standing { throw error }
      source.isSubscribed = false
      throw error
    }
  }

  /// Subscribes to the topic of a broadcaster on a new connection.
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
