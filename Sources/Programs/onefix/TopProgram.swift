import Base
import Glibc
import NIOPosix
import OneFixClient
import OperatingSystem
import OwnerScreens

/// The program of the command `onefix top`: a full-screen view of a gateway. The program ends when the user quits, when
/// the terminal closes, or after a signal.
struct TopProgram {
  private enum Event: Sendable {
    case session(TopSession.Event)
    case input(TerminalReader.Input)
    /// The terminal has accepted all bytes of the last frame.
    case sent
  }

  let terminal: RawTerminal
  let owners: OneFixClient.Endpoint
  private let kind: TerminalKind
  private var session: TopSession
  private var keys = KeyDecoder()
  /// The last frame (screen content) that was sent to the terminal; nil if the content of the terminal is unknown.
  private var shown: Frame?
  private var size = ScreenSize.usual
  private var isSending = false
  private var hasChanged = true
  private var isSuspended = false
  private let events: AsyncStream<Event>
  private let happened: AsyncStream<Event>.Continuation

  init(terminal: RawTerminal, owners: OneFixClient.Endpoint, session: TopSession) {
    self.terminal = terminal
    self.owners = owners
    self.session = session
    kind = session.terminal
    (events, happened) = AsyncStream.makeStream(of: Event.self)
  }

  mutating private func handle(_ event: TopSession.Event) -> [TopSession.Effect] {
    hasChanged = true
    return session.handle(event, at: SystemClock.monotonic)
  }

  consuming func run() async {
    let source = TopSource(owners: owners, language: session.language)
    let (happened, terminal) = (happened, terminal)
    TerminalReader(descriptor: dup(terminal.descriptor)).start { happened.yield(.input($0)) }
    let watch = Task { await source.watch { happened.yield(.session($0)) } }
    await handleEvents(source)
    watch.cancel()
    restoreTerminal()
  }

  private mutating func handleEvents(_ source: TopSource) async {
    begin()
    for await event in events {
      switch event {
      case .input(.end): return
      case .input(.bytes(let bytes)):
        for key in bytes.flatMap({ keys.decode($0) }) {
          if case .position(let row, let column) = key { applyReportedSize(row, column) }
          for effect in handle(.key(key)) {
            guard perform(effect, source) else { return }
          }
        }
      case .input(.signal(let number)):
        switch number {
        case SIGTSTP: suspend()
        case SIGCONT: begin()
        default: resize()
        }
      case .session(let event): _ = handle(event)
      case .sent:
        isSending = false
        _ = session.handle(.drawn, at: SystemClock.monotonic)
      }
      draw()
    }
  }

  /// Executes an effect of a key, for example a command. Returns false if the program must end.
  private mutating func perform(_ effect: TopSession.Effect, _ source: TopSource) -> Bool {
    switch effect {
    case .perform(let action):
      Task { [happened, columns = size.columns] in
        happened.yield(.session(.done(await source.perform(action, columns: columns - 1))))
      }
    case .redraw: begin()
    case .suspend: suspend()
    case .end: return false
    }
    return true
  }

  // MARK: The terminal

  private mutating func begin() {
    isSuspended = false
    terminal.enableRawMode()
    shown = nil
    hasChanged = true
    resize()
  }

  private mutating func resize() {
    if let (rows, columns) = terminal.size { size = ScreenSize(rows: rows, columns: columns) }
    _ = handle(.resized(size))
    shown = nil
  }

  /// Applies the screen size that a terminal at a serial port has reported. For this report, the program has moved the
  /// cursor to the last row and column.
  private mutating func applyReportedSize(_ row: Int, _ column: Int) {
    guard terminal.size == nil, row > 1, column > 1 else { return }
    let reported = ScreenSize(rows: row, columns: column)
    guard reported != size else { return }
    size = reported
    resize()
  }

  /// Sends the differences between the present and the last frame (screen content). While the last frame is still being
  /// sent, the function sends nothing.
  private mutating func draw() {
    guard hasChanged, !isSending, !isSuspended else { return }
    hasChanged = false
    let frame = session.frame(at: SystemClock.reading)
    var bytes = frame.bytes(after: shown, kind)
    if shown == nil { bytes = ScreenControl.begin + (terminal.size == nil ? ScreenControl.requestSize : []) + bytes }
    shown = frame
    isSending = true
    Task { [terminal, happened] in
      await Self.send(bytes, terminal)
      happened.yield(.sent)
    }
  }

  /// Sends bytes to the terminal, and waits until the transmission on a serial port should be complete.
  private static func send(_ bytes: [UInt8], _ terminal: RawTerminal) async {
    guard !bytes.isEmpty else { return }
    let begun = SystemClock.monotonic
    let sent: Void? = try? await NIOThreadPool.singleton.runIfActive {
      terminal.write(bytes)
      terminal.drain()
    }
    guard sent != nil, let speed = terminal.speed else { return }
    // Each byte is sent as ten bits: start bit, eight data bits, stop bit.
    try? await SystemClock.sleep(until: begun + .nanoseconds(bytes.count * 10 * 1_000_000_000 / speed))
  }

  /// Restores the terminal's former mode. Output that the terminal does not accept is discarded.
  private func restoreTerminal() {
    if isSuspended { return }
    terminal.abandonOutput(ScreenControl.end(size, kind))
    terminal.restore(TCSANOW)
  }

  private mutating func suspend() {
    restoreTerminal()
    isSuspended = true
    // After SIGCONT, the process continues here.
    kill(getpid(), SIGSTOP)
  }
}
