# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
"""Connects to what clouds keep for their machines, in every spelling, and prints what is not refused."""
import errno
import socket
import sys

PLACES = [
    '169.254.169.254', '169.254.170.2', '169.254.170.23', '100.100.100.200', '168.63.129.16', '192.0.0.192',
    'fd00:ec2::254', 'fd20:ce::254', '2852039166', '0xa9fea9fe', '0xA9.0xFE.0xA9.0xFE', '0251.0376.0251.0376',
    '025177524776', '169.254.43518', '169.16689662', '0xa9.254.0251.254', '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe', '::169.254.169.254', '::ffff:0:169.254.169.254', '64:ff9b::169.254.169.254',
    '64:ff9b::a9fe:a9fe', '64:ff9b:1::a9fe:a9fe', '2002:a9fe:a9fe::', '2001::5601:5601', 'meta.test', 'meta6.test',
    'metadata.google.internal', 'META.test.',
]


def reached(place):
    try:
        socket.create_connection((place, 80), 60)
        return True
    except OSError as error:
        # A name that is looked up and leads nowhere else, or an address without a way to it.
        return errno.errorcode.get(error.errno, str(error)) not in ('ECONNREFUSED', 'ENETUNREACH', 'EHOSTUNREACH')


places = sys.argv[1].split() if len(sys.argv) > 1 else PLACES
print('%d places, reached: %s' % (len(places), ' '.join(place for place in places if reached(place))))
