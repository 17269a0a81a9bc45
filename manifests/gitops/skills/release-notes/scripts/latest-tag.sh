#!/bin/sh
git describe --tags --abbrev=0
