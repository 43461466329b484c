package import Base
package import LineProtocol

/// A question to the user about the permissions of an app.
package struct Prompt: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// "Share with this app when you press?" (authorization reference, row A1)
    case confirm
    /// "The app was not allowed. Use the button from now on?" (authorization reference, row A4)
    case introduce
    /// "May this app get the location?" The answers are: once, while in use, or never (authorization reference, row
    /// B1).
    case authorize
    /// "May this app get the location?" The app asked for "always", but the answers are: once, while in use, or never
    /// (authorization reference, row B2).
    case authorizeAlways = "authorize-always"
    /// "Keep 'while in use', or change to 'always'?" (authorization reference, row B3)
    case upgrade
    /// "An event needs 'always'. Is it allowed?" (authorization reference, row B5)
    case always
    /// "Is precise location allowed once?" (authorization reference, row D3)
    case precise
  }

  package enum Cause: Hashable, Sendable {
    /// A press of the button selected this request, which needs the user's permission first.
    case press(Press, RequestID)
    /// The session of the app that asked for authorization.
    case session(SessionID)
    /// A request, or an entry into or exit from a region, needs the authorization "always" and waits for the answer
    /// (authorization reference, row B5).
    case heldEvent
  }

  package let id: Int
  package let kind: Kind
  package let app: AppID
  package let cause: Cause
  package let shown: MonotonicInstant
  package let deadline: MonotonicInstant
  /// The press of the button that opened the prompt; nil if the prompt has another cause.
  package var press: Press? {
    switch cause {
    case .press(let press, _): press
    case .session, .heldEvent: nil
    }
  }

  /// The request for one fix that the press of the button selected; nil if no press opened the prompt.
  package var arm: RequestID? {
    switch cause {
    case .press(_, let request): request
    case .session, .heldEvent: nil
    }
  }
}

extension Prompt.Kind {
  /// Returns the possible answers to a prompt of this kind.
  ///
  /// - Parameter showsText: Whether the user sees the text of the prompt, which names the app. Otherwise the answers
  ///   that permit most are left out.
  package func choices(showsText: Bool) -> [PromptChoice] {
    switch self {
    case .confirm, .introduce: [.yes, .no]
    case .authorize, .authorizeAlways: showsText ? [.once, .whileUsing, .no] : [.once, .no]
    case .upgrade, .always: showsText ? [.always, .keep, .no] : [.keep, .no]
    case .precise: showsText ? [.yes, .keep, .no] : [.keep, .no]
    }
  }

  /// Whether the user can also choose the accuracy together with a positive answer.
  package var offersAccuracy: Bool {
    switch self {
    case .confirm, .introduce, .authorize, .authorizeAlways, .upgrade, .always: true
    case .precise: false
    }
  }

  /// The answer that one press of the button gives.
  var choiceByPress: PromptChoice {
    switch self {
    case .confirm, .introduce: .yes
    case .authorize, .authorizeAlways: .once
    case .upgrade, .always, .precise: .keep
    }
  }

  /// The answer that a double press of the button gives while a display shows the text of the prompt; nil if a double
  /// press has no meaning.
  var choiceByDoublePress: PromptChoice? {
    switch self {
    case .authorize, .authorizeAlways: .whileUsing
    case .confirm, .introduce, .upgrade, .always, .precise: nil
    }
  }

  /// Whether the app asked for this prompt and learns the outcome. A prompt for the authorization "always" has another
  /// cause and stays secret from the app (authorization reference, row B5).
  var isAskedByApp: Bool {
    switch self {
    case .authorize, .authorizeAlways, .upgrade, .precise: true
    case .confirm, .introduce, .always: false
    }
  }

  /// The duration of the pause after the first unanswered prompt about an app. During the pause, requests of this app
  /// open no prompt.
  var firstPause: Duration {
    switch self {
    case .confirm, .introduce: Authorization.Bounds.firstButtonPause
    case .authorize, .authorizeAlways, .upgrade, .always, .precise: Authorization.Bounds.firstOtherPause
    }
  }
}

/// A user's answer to a prompt.
package struct Answer: Hashable, Sendable {
  package var choice: PromptChoice
  /// The accuracy that the user chose; nil if the user kept the present accuracy.
  package var accuracy: FixAccuracy?
  /// Whether the user saw the prompt's text, which names the app.
  package var showsText: Bool

  package init(_ choice: PromptChoice, accuracy: FixAccuracy? = nil, showsText: Bool) {
    self.choice = choice
    self.accuracy = accuracy
    self.showsText = showsText
  }
}
