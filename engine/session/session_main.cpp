// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// revet-session: one process for each session, started by a front end with a socket as descriptor 3. Owns the
// box, its supervisor and its journal; front ends come and go.

#include "engine/session/session_process.h"

int main()
{
    return revet::session::runSessionProcess();
}
