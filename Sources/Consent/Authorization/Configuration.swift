extension Authorization {
  /// What the owner configures.
  package struct Configuration: Hashable, Sendable {
    /// One press serves every app that needs no prompt, instead of one.
    package var pressServesAll = false
    /// How long an app stays armed that does not say.
    package var armTimeout: Duration = .seconds(300)
    /// Which apps a button is for; a button that is not listed is for every app.
    package var boundApps: [String: Set<AppID>] = [:]
    /// Within how long a second press of a button makes a double press, where that is not the contract's.
    package var doublePress: [String: Duration] = [:]
    /// Apps whose status is `restricted`, whatever is stored of them.
    package var restrictedApps: Set<AppID> = []
    /// What a new app may know; `reduced` holds for one that is known already, too.
    package var newAppAccuracy: [AppID: Accuracy] = [:]
    package var defaultAccuracy: Accuracy = .full
    /// Displays on a wall: in use for as long as they are connected.
    package var displays: Set<AppID> = []

    package init() {}
  }

  /// The bounds of the contract. Each odd-looking one closes a way to get a location without a person meaning it.
  package enum Bounds {
    /// An app must have been armed for that long when the button goes down.
    package static let armBeforePress: Duration = .milliseconds(300)
    /// A grant's life, from the release; and how long a standing request, or updates, may wait for their first fix.
    package static let grantLife: Duration = .seconds(60)
    /// A one-time fix is never from an epoch older than that before the press.
    package static let oldestEpoch: Duration = .seconds(2)
    /// Nor one under a standing authorization from an epoch older than that.
    package static let oldestStandingEpoch: Duration = .seconds(60)
    /// Time after the end of a press's fix in which further presses serve no app (A8).
    package static let rest: Duration = .seconds(2)
    package static let longestArm: Duration = .seconds(3600)
    package static let longestImplicitArm: Duration = .seconds(86_400)

    /// How long the button answers a prompt.
    package static let promptLife: Duration = .seconds(10)
    /// How long a prompt that no press opened stays open, and its app waits for the outcome, whatever other apps do.
    package static let askLife: Duration = .seconds(60)
    /// A press answers a prompt only if it begins at least that long after the button began to answer the prompt, and
    /// serves an app only if it begins at least that long after the button ceased to, unless a press ended that.
    package static let promptGuard: Duration = .seconds(1)
    /// The button begins to answer a prompt that no press opened only if no edge came for that long: a finger may be on
    /// its way.
    package static let quiet: Duration = .seconds(2)
    /// Two presses are one double press where the second is released within that after the first, unless it is
    /// configured otherwise.
    package static let doublePress: Duration = .milliseconds(400)
    /// The pauses of prompts after one that nobody answered: caused by the button (A1, A4), or else. They double.
    package static let firstButtonPause: Duration = .seconds(600)
    package static let firstOtherPause: Duration = .seconds(3600)
    package static let longestPause: Duration = .seconds(86_400)
    /// For how long an app sees `always` at least after a person said no to it (B5).
    package static let alwaysSeen: Duration = .seconds(86_400)

    /// Use ends that long after a person's last act for the app.
    package static let useMax: Duration = .seconds(15 * 60)
    /// Updates that go on when not in use end that long after their start (C3).
    package static let backgroundMax: Duration = .seconds(8 * 3600)
    /// A session's time away from its connection, or in use in the background, between two acts of a person.
    package static let grace: Duration = .seconds(5)
    /// How often legibility is checked during standing use (C6).
    package static let legibilityPeriod: Duration = .seconds(1)
  }
}
